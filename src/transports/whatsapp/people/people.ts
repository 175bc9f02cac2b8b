import type { GroupMetadata } from "baileys";
import type { ChannelLink, Vault } from "../../../core/transport/connector.ts";
import type { TransportEvent } from "../../../core/transport/events.ts";
import { type Address, type ChatName, chatNameOf, parseJid } from "./addresses.ts";

const CONTACTS = "contact";
/** Hidden people whose chats were emitted under their hidden ids. */
const HIDDEN = "hidden";
const GROUPS_FRESH_MS = 10 * 60_000;
/** A number without an account is looked up again after this long, because an account may have been created. */
const ABSENT_MS = 60 * 60_000;

/** What is known about a person, by number or hidden id, or about a group. */
export interface Person {
  /** The address that WhatsApp uses for this number; in some countries it differs by a digit. */
  readonly jid?: string;
  readonly name?: string;
  /** There is a conversation, so a message is not a first contact. */
  readonly isKnown?: boolean;
  /** After how many seconds messages of the chat disappear; 0: they stay. */
  readonly expiration?: number;
}

/** The key of a chat's data: that of the person, or of a group. */
export const chatKeyOf = ({ chatType, chatId }: ChatName): string =>
  chatType === "whatsgroup" ? `group ${chatId}` : chatId;

interface Group {
  readonly metadata: GroupMetadata;
  readonly at: number;
}

/** The people and groups of one account, stored in its vault, because WhatsApp limits lookups. */
export class People {
  readonly #vault: Vault;
  readonly #emit: ChannelLink["emit"];
  readonly #numberOf: (lid: string) => Promise<string | null>;
  readonly #persons = new Map<string, Person>();
  readonly #absent = new Map<string, number>();
  readonly #groups = new Map<string, Group>();
  #hidden: Set<string> | undefined;

  /** `numberOf` returns the phone address of a hidden id, if it is known. */
  constructor(options: {
    vault: Vault;
    emit: ChannelLink["emit"];
    numberOf: (lid: string) => Promise<string | null>;
  }) {
    this.#vault = options.vault;
    this.#emit = options.emit;
    this.#numberOf = options.numberOf;
  }

  /** The best address for a JID: the number if it is known, whichever address WhatsApp used. */
  async resolve(jid: string | null | undefined, alternative?: string | null): Promise<Address> {
    const address = parseJid(jid);
    if (address.kind !== "hidden") return address;
    const other = parseJid(alternative);
    if (other.kind === "phone") return other;
    const number = parseJid(await this.#numberOf(`${address.id}@lid`));
    return number.kind === "phone" ? number : address;
  }

  /** The chat of a message; null if it is not a chat. Emits a move when a hidden person's number becomes known. */
  async chatOf(jid: string | null | undefined, alternative?: string | null): Promise<ChatName | null> {
    const address = await this.resolve(jid, alternative);
    const asked = parseJid(jid);
    if (asked.kind === "hidden" && address.kind === "phone") await this.reveal(asked.id, address.digits);
    if (address.kind === "hidden") await this.#hide(address.id);
    return chatNameOf(address);
  }

  /** The number of a hidden person has become known: the chat continues under the number. */
  async reveal(id: string, digits: string): Promise<void> {
    const hidden = await this.#hiddenPeople();
    if (!hidden.has(id)) return;
    const moved: TransportEvent = {
      kind: "moved",
      chatType: "whatsapp",
      chatId: `${id}@lid`,
      newChatId: digits,
    };
    await this.#emit(moved);
    hidden.delete(id);
    await this.#vault.write([{ family: HIDDEN, id, value: null }]);
  }

  async #hide(id: string): Promise<void> {
    const hidden = await this.#hiddenPeople();
    if (hidden.has(id)) return;
    hidden.add(id);
    await this.#vault.write([{ family: HIDDEN, id, value: new Uint8Array([1]) }]);
  }

  async #hiddenPeople(): Promise<Set<string>> {
    this.#hidden ??= new Set((await this.#vault.readAll(HIDDEN)).keys());
    return this.#hidden;
  }

  async find(id: string): Promise<Person> {
    const known = this.#persons.get(id);
    if (known !== undefined) return known;
    const stored = (await this.#vault.read(CONTACTS, [id])).get(id);
    const person = stored === undefined ? {} : (JSON.parse(Buffer.from(stored).toString()) as Person);
    this.#remember(id, person);
    return person;
  }

  /** The same for many people, in one look into the vault; those of whom nothing is known are missing. */
  async findAll(ids: readonly string[]): Promise<ReadonlyMap<string, Person>> {
    const stored = await this.#vault.read(
      CONTACTS,
      ids.filter((id) => !this.#persons.has(id)),
    );
    const read = [...stored].map(
      ([id, json]) => [id, JSON.parse(Buffer.from(json).toString()) as Person] as const,
    );
    const known = ids.flatMap((id) => {
      const person = this.#persons.get(id);
      return person === undefined ? [] : [[id, person] as const];
    });
    return new Map([...read, ...known]);
  }

  /** Merges new data into the stored data. Writes only changes. */
  async learn(id: string, news: Person): Promise<void> {
    const known = await this.find(id);
    const person = { ...known, ...news };
    if (JSON.stringify(known) === JSON.stringify(person)) return;
    this.#remember(id, person);
    this.#absent.delete(id);
    await this.#vault.write([{ family: CONTACTS, id, value: Buffer.from(JSON.stringify(person)) }]);
  }

  isAbsent(digits: string, now: number = Date.now()): boolean {
    return (this.#absent.get(digits) ?? 0) > now;
  }

  learnAbsent(digits: string, now: number = Date.now()): void {
    this.#absent.set(digits, now + ABSENT_MS);
    const [oldest] = this.#absent.keys();
    if (this.#absent.size > MAX_REMEMBERED && oldest !== undefined) this.#absent.delete(oldest);
  }

  group(jid: string, now: number = Date.now()): GroupMetadata | undefined {
    const group = this.#groups.get(jid);
    return group !== undefined && now - group.at < GROUPS_FRESH_MS ? group.metadata : undefined;
  }

  learnGroup(metadata: GroupMetadata, now: number = Date.now()): void {
    this.#groups.delete(metadata.id);
    this.#groups.set(metadata.id, { metadata, at: now });
    const [oldest] = this.#groups.keys();
    if (this.#groups.size > MAX_GROUPS && oldest !== undefined) this.#groups.delete(oldest);
  }

  forgetGroup(jid: string): void {
    this.#groups.delete(jid);
  }

  #remember(id: string, person: Person): void {
    this.#persons.delete(id);
    this.#persons.set(id, person);
    const [oldest] = this.#persons.keys();
    if (this.#persons.size > MAX_REMEMBERED && oldest !== undefined) this.#persons.delete(oldest);
  }
}

const MAX_REMEMBERED = 200;
const MAX_GROUPS = 20;
