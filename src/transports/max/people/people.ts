import type { ChatType } from "../../../core/transport/definition.ts";
import { fields, listOf } from "../../../platform/foreign/foreign-json.ts";
import type { Json } from "../../kit/json.ts";
import { BoundedMap } from "../bounded-map.ts";
import { isFlood, Refusal } from "../errors.ts";
import { CONTROL } from "../inbound/body.ts";
import type { MaxMessage } from "../inbound/update.ts";
import type { Person } from "../inbound.ts";
import { OP } from "../wire/opcodes.ts";
import { dialogId, idIn } from "./ids.ts";
import { type MaxChat, type MaxContact, nameOf, readChat, readContact } from "./profile.ts";

/** The number of people and chats kept in memory; others are requested again. */
const KEPT_PEOPLE = 300;
const KEPT_CHATS = 200;
/** Ids per request. */
const ASKED_AT_ONCE = 50;
/** A failed lookup is not repeated for this long. Nor is another one made after a refusal for too many requests. */
const PAUSE_MS = 5 * 60_000;
const KEPT_FAILURES = 1_000;
/** After this long, a person without a picture who writes is looked up again: they may have one now. */
const AGAIN_MS = 6 * 60 * 60_000;

const readContacts = fields({ contacts: listOf(readContact), contact: readContact });
const readChats = fields({ chats: listOf(readChat), chat: readChat });

export type Ask = (opcode: number, payload: object) => Promise<Json>;

interface Chat {
  readonly type: ChatType | null;
  readonly title: string;
}

/** The known names of people and groups; missing ones are requested. */
export class People {
  readonly self: string;
  readonly #ask: Ask;
  readonly #people = new BoundedMap<string, Person>(KEPT_PEOPLE);
  readonly #chats = new BoundedMap<string, Chat>(KEPT_CHATS);
  /** When each failed, by `performance.now()`. */
  readonly #failedPeople = new BoundedMap<string, number>(KEPT_FAILURES);
  readonly #failedChats = new BoundedMap<string, number>(KEPT_FAILURES);
  /** When people without a picture were last looked up, by `performance.now()`. */
  readonly #withoutPicture = new BoundedMap<string, number>(KEPT_PEOPLE);
  #floodedAt: number | undefined;

  /** `ask` rejects like `MaxClient.call`. */
  constructor(self: string, ask: Ask) {
    this.self = self;
    this.#ask = ask;
  }

  learnContact(contact: MaxContact): void {
    const { id, phone, baseUrl } = contact;
    if (id === undefined) return;
    if (baseUrl === undefined) this.#withoutPicture.set(id, performance.now());
    else this.#withoutPicture.delete(id);
    this.#people.set(id, {
      name: nameOf(contact) || phone || id,
      ...(phone !== undefined && { phone }),
      ...(baseUrl !== undefined && { avatarUrl: baseUrl }),
    });
  }

  learnChat({ id, type, title }: MaxChat): void {
    if (id === undefined) return;
    const known = this.#chats.get(id);
    const told = chatTypeOf(type);
    this.#chats.set(id, {
      type: told === undefined ? this.chatTypeOf(id) : told,
      title: title ?? known?.title ?? "",
    });
  }

  /** A service message renamed the group. */
  learnTitle(chatId: string, title: string): void {
    this.learnChat({ id: chatId, title });
  }

  chatTypeOf = (chatId: string): ChatType | null => {
    const known = this.#chats.get(chatId);
    return known === undefined ? guess(chatId) : known.type;
  };

  titleOf = (chatId: string): string => this.#chats.get(chatId)?.title ?? "";

  personOf = (userId: string): Person => this.#people.get(userId) ?? { name: userId };

  /** Requests the unknown people in a message. If the request fails, only names are missing. */
  async fetchUnknown(chatId: string, message: MaxMessage): Promise<void> {
    const { self } = this;
    const isDialog =
      message.sender !== undefined && message.sender !== self && dialogId(self, chatId) === message.sender;
    if (isDialog && !this.#chats.has(chatId)) this.#chats.set(chatId, { type: "max", title: "" });
    await this.#fetchUnknownChat(chatId);
    const named = [message.sender, message.link?.message?.sender, ...controlled(message)];
    if (this.chatTypeOf(chatId) === "max") named.push(dialogId(self, chatId));
    const ids = new Set(named.filter((id) => id !== undefined && this.#isSought(id)));
    await this.#meetPeople([...ids].filter((id) => id !== undefined).slice(0, ASKED_AT_ONCE));
  }

  #isSought(id: string): boolean {
    if (this.#people.has(id) && !this.#mayHavePicture(id)) return false;
    return idIn(id) !== undefined && !isRecent(this.#failedPeople.get(id));
  }

  #mayHavePicture(id: string): boolean {
    const lookedUp = this.#withoutPicture.get(id);
    return lookedUp !== undefined && performance.now() - lookedUp >= AGAIN_MS;
  }

  async #fetchUnknownChat(chatId: string): Promise<void> {
    const id = idIn(chatId);
    if (this.#chats.has(chatId) || id === undefined || isRecent(this.#failedChats.get(chatId))) return;
    const { chats = [], chat } = readChats(await this.#lookUp(OP.chatInfo, { chatIds: [id] })) ?? {};
    for (const each of chat === undefined ? chats : [...chats, chat]) this.learnChat(each);
    if (!this.#chats.has(chatId)) this.#failedChats.set(chatId, performance.now());
  }

  async #meetPeople(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const id of ids) if (this.#withoutPicture.has(id)) this.#withoutPicture.set(id, performance.now());
    const answer = await this.#lookUp(OP.contactsById, { contactIds: ids.map(BigInt) });
    if (answer === null) {
      for (const id of ids) this.#failedPeople.set(id, performance.now());
      return;
    }
    for (const contact of readContacts(answer)?.contacts ?? []) this.learnContact(contact);
    // Unknown people are remembered, so that they are not requested with every message.
    for (const id of ids) if (!this.#people.has(id)) this.#people.set(id, { name: id });
  }

  /** Null if it fails. */
  async #lookUp(opcode: number, payload: object): Promise<Json | null> {
    if (isRecent(this.#floodedAt)) return null;
    try {
      return await this.#ask(opcode, payload);
    } catch (error) {
      if (error instanceof Refusal && isFlood(error)) this.#floodedAt = performance.now();
      return null;
    }
  }
}

function isRecent(time: number | undefined): boolean {
  return time !== undefined && performance.now() - time < PAUSE_MS;
}

function controlled({ attaches = [] }: MaxMessage): readonly string[] {
  return attaches
    .filter(({ _type }) => _type === CONTROL)
    .flatMap(({ userId, userIds = [] }) => (userId === undefined ? userIds : [...userIds, userId]));
}

/** Null for channels; undefined if the type is missing. */
function chatTypeOf(type: string | undefined): ChatType | null | undefined {
  switch (type) {
    case "DIALOG":
      return "max";
    case "CHAT":
      return "maxgroup";
    case "CHANNEL":
      return null;
    default:
      return undefined;
  }
}

/** Ids of groups are negative. */
function guess(chatId: string): ChatType {
  return chatId.startsWith("-") ? "maxgroup" : "max";
}
