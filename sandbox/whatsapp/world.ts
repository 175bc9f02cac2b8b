import { randomBytes } from "node:crypto";
import { Clock } from "../clock.ts";
import { AdminError, missing } from "../http/fields.ts";
import { Journal } from "../journal.ts";
import type { KeyPair } from "./crypto/x25519.ts";
import { generateKeyPair } from "./crypto/x25519.ts";
import { createFaultList } from "./fault.ts";
import { Group } from "./group.ts";
import type { CodeLink } from "./link/code-link.ts";
import type { Registration } from "./link/registration.ts";
import type { MediaStore } from "./media/store.ts";
import { certify, type ServerIdentity } from "./noise/identity.ts";
import type { Companion } from "./person/person.ts";
import { Person } from "./person/person.ts";
import type { AckRecord, EventRecord, IqRecord, ReceiptRecord, SentRecord } from "./records.ts";
import { parseJid } from "./wire/jid.ts";

/** Settings of the whole emulator that a test may change. */
export interface Settings {
  /** Whether a phone pushes history and keys to a device as soon as it is linked. */
  history: "auto" | "manual";
  /** Messages of the history in one notification; 0: all are in the first. */
  historyChunk: number;
  /** Maximum size of a file in the media store. */
  mediaMaxBytes: number;
  /** The seed of fields in messages that no client knows yet; 0: there are none. */
  novelty: number;
  /** How the server sends the request for a passkey. */
  passkeyOptions: "whole" | "malformed";
  /** Whether phones answer an accepted passkey at once. */
  passkeyPhone: "auto" | "held";
  /** How long a request for a passkey is valid. */
  passkeyMs: number;
}

const defaults: Settings = {
  history: "auto",
  historyChunk: 0,
  mediaMaxBytes: 100 * 1024 * 1024,
  novelty: 0,
  passkeyOptions: "whole",
  passkeyPhone: "auto",
  passkeyMs: 10 * 60_000,
};
const keptEntries = 10_000;
/** LIDs are unrelated to the number; this only keeps the two apart. */
const firstLid = 90_000_000_000_000;

/** Everything that exists in the emulated WhatsApp. */
export class World {
  readonly clock = new Clock();
  readonly people = new Map<string, Person>();
  readonly groups = new Map<string, Group>();
  /** Pending links by QR reference, and by the phone number of a code. */
  readonly registrations = new Map<string, Registration>();
  readonly codeLinks = new Map<string, CodeLink>();
  readonly sent = new Journal<SentRecord>(keptEntries);
  readonly iqs = new Journal<IqRecord>(keptEntries);
  readonly receipts = new Journal<ReceiptRecord>(keptEntries);
  readonly acks = new Journal<AckRecord>(keptEntries);
  readonly events = new Journal<EventRecord>(keptEntries);
  readonly faults = createFaultList();
  readonly media: MediaStore;
  readonly root: KeyPair;
  readonly changed: () => void;
  settings: Settings = { ...defaults };
  /** The number of messages encrypted so far. */
  sealed = 0;
  /** How many of the next handshakes use a certificate of an untrusted root. */
  forgedRoots = 0;
  readonly #people = new Map<string, Person>();
  readonly #identity: ServerIdentity;
  readonly #forgedIdentity: ServerIdentity;
  #nextLid = firstLid;
  #nextGroup = 1;

  constructor(setup: { root: KeyPair; media: MediaStore; changed: () => void }) {
    this.root = setup.root;
    this.media = setup.media;
    this.changed = setup.changed;
    this.#identity = certify(setup.root);
    this.#forgedIdentity = certify(generateKeyPair());
  }

  /** Unix milliseconds by the emulator's clock. */
  nowMs(): number {
    return this.clock.nowMs();
  }

  stamp(): string {
    return new Date(this.nowMs()).toISOString();
  }

  /** The identity for the next connection. */
  takeIdentity(): ServerIdentity {
    if (this.forgedRoots === 0) return this.#identity;
    this.forgedRoots--;
    return this.#forgedIdentity;
  }

  note(event: string, about?: Companion | Person, detail?: string): void {
    const companion = about && "person" in about ? about : undefined;
    const phone = companion?.person.phone ?? (about instanceof Person ? about.phone : null);
    this.events.append({
      at: this.stamp(),
      phone,
      device: companion?.device ?? null,
      event,
      detail: detail ?? null,
    });
  }

  /** Creates a person, or returns the one with this number. */
  putPerson(setup: { phone: string; name?: string | undefined; lid?: string | undefined }): Person {
    if (!/^\d{5,20}$/.test(setup.phone))
      throw new AdminError(400, "invalid_field", "phone must be 5 to 20 digits");
    const known = this.people.get(setup.phone);
    if (known) {
      known.name = setup.name ?? known.name;
      return known;
    }
    const lid = setup.lid ?? String(this.#nextLid++);
    if (this.#people.has(lid)) throw new AdminError(409, "exists", `${lid} is somebody else's`);
    return this.register(
      new Person({ phone: setup.phone, lid, name: setup.name ?? `Person ${setup.phone}` }),
    );
  }

  /** Makes a person findable by number, LID and other forms. */
  register(person: Person): Person {
    this.people.set(person.phone, person);
    for (const key of [person.phone, person.lid, ...person.aliases]) this.#people.set(key, person);
    if (/^9\d{13}$/.test(person.lid)) this.#nextLid = Math.max(this.#nextLid, Number(person.lid) + 1);
    this.changed();
    return person;
  }

  /** 404 if no person has this number. */
  person(phone: string): Person {
    const person = this.people.get(phone);
    if (!person) throw missing("person", phone);
    return person;
  }

  /** A person by phone number, another form of it, or LID. */
  find(user: string | undefined): Person | undefined {
    return user === undefined ? undefined : this.#people.get(user);
  }

  /** The person with this address; undefined for groups and unknown addresses. */
  findByJid(jid: string | undefined): Person | undefined {
    const parsed = parseJid(jid);
    return parsed && (parsed.server === "s.whatsapp.net" || parsed.server === "lid")
      ? this.find(parsed.user)
      : undefined;
  }

  addGroup(setup: {
    subject: string;
    creator: Person;
    members: readonly Person[];
    id?: string | undefined;
  }): Group {
    const id = setup.id ?? `${120_363_000_000_000_000n + BigInt(this.#nextGroup++)}@g.us`;
    if (!id.endsWith("@g.us"))
      throw new AdminError(400, "invalid_field", "the id of a group ends with @g.us");
    if (this.groups.has(id)) throw new AdminError(409, "exists", `there is already a group ${id}`);
    const { subject, creator } = setup;
    const group = new Group({ id, subject, creator: creator.phone, createdMs: this.nowMs() });
    for (const { phone } of setup.members) if (!group.members.has(phone)) group.members.set(phone, undefined);
    this.groups.set(id, group);
    this.changed();
    return group;
  }

  group(id: string): Group {
    const group = this.groups.get(id);
    if (!group) throw missing("group", id);
    return group;
  }

  /** The members of a group, in the order of joining. */
  membersOf(group: Group): Person[] {
    return [...group.members.keys()].flatMap((phone) => this.people.get(phone) ?? []);
  }

  companions(): Companion[] {
    return [...this.people.values()].flatMap(({ companions }) => [...companions.values()]);
  }

  /** A message id in the format of phones. */
  newMessageId(): string {
    return `3A${randomBytes(9).toString("hex").toUpperCase()}`;
  }

  /** Ends all waits. */
  release(): void {
    for (const journal of [this.sent, this.iqs, this.receipts, this.acks, this.events]) journal.release();
    for (const { inbox } of this.people.values()) inbox.release();
  }

  /** Deletes everything except the root key, and closes every connection. */
  clear(): void {
    for (const { connection } of this.companions()) connection?.drop();
    for (const { connection } of this.registrations.values()) connection.drop();
    this.release();
    for (const journal of [this.sent, this.iqs, this.receipts, this.acks, this.events]) journal.clear();
    for (const map of [this.people, this.groups, this.registrations, this.codeLinks, this.#people])
      map.clear();
    this.faults.clear();
    this.media.clear();
    this.settings = { ...defaults };
    this.forgedRoots = 0;
    this.changed();
  }
}
