import type { proto } from "baileys/WAProto/index.js";
import { Journal } from "../../journal.ts";
import { Conversation } from "../chat/conversation.ts";
import type { InboxItem } from "../chat/inbox-item.ts";
import type { Group } from "../group.ts";
import type { Passkey } from "../passkey/assertion.ts";
import { SignalDevice } from "../signal/device.ts";
import { SenderKey, SenderKeyRing } from "../signal/sender-key.ts";
import { lidJid, phoneJid } from "../wire/jid.ts";
import type { LinkedDevice } from "./linked-device.ts";
import type { Picture } from "./picture.ts";

/** Whether something happens automatically or waits for a test. */
export type Pace = "auto" | "held";

/** The behaviour of a person's phone and of the server towards senders. */
export interface Behaviour {
  /** The server's acknowledgement of the messages of this person's linked devices. */
  acks: Pace;
  /** Delivery receipts of this person's phone. */
  deliveries: Pace;
  /** Whether this person reads at once. */
  reads: Pace;
}

const usualBehaviour: Behaviour = { acks: "auto", deliveries: "auto", reads: "held" };

/** Maximum number of linked devices of a phone. */
export const maxCompanions = 4;

const keptInboxItems = 2000;

/** How often a phone requests a message that it cannot decrypt. */
const maxAskings = 5;

/** A person with WhatsApp on a phone: a contact of others, and possibly the owner of linked devices. */
export class Person {
  readonly phone: string;
  readonly lid: string;
  name: string;
  /** Other forms of the number that belong to this person (the ninth digit of Brazil). */
  aliases: readonly string[];
  /** The phone itself, device 0; replaced by a reinstallation. */
  device: SignalDevice;
  readonly companions = new Map<number, Companion>();
  readonly inbox = new Journal<InboxItem>(keptInboxItems);
  /** Conversations by the address of the other side: a phone number or a group's id. */
  readonly chats = new Map<string, Conversation>();
  readonly senderKeys = new SenderKeyRing();
  readonly behaviour: Behaviour = { ...usualBehaviour };
  readonly blocked = new Set<string>();
  readonly privacy = new Map<string, string>([
    ["readreceipts", "all"],
    ["profile", "all"],
    ["status", "all"],
    ["online", "all"],
    ["last", "all"],
    ["groupadd", "all"],
    ["calladd", "all"],
  ]);
  /** Patches of app state by collection; the version is their number. */
  readonly appState = new Map<string, Buffer[]>();
  /** Messages written on this phone, by id and conversation, for devices that could not decrypt them. */
  readonly written = new Map<string, Writing>();
  /** How often this phone requested a message that it could not decrypt, by message id and author. */
  readonly #asked = new Map<string, number>();
  /** Receipts that this person still owes, by message id. */
  readonly undelivered = new Map<string, Owed>();
  readonly unread = new Map<string, Owed>();
  /** Acknowledgements that the server holds back from this person's devices, by message id. */
  readonly heldAcks = new Map<string, () => void>();
  readonly #groupKeys = new Map<string, SenderKey>();
  /** The "about" text, and when it was set. */
  about = { text: "", atMs: 0 };
  /** The profile picture, shown to everybody. */
  picture: Picture | undefined;
  /** Until when the account may not start chats. */
  restrictedUntilMs: number | undefined;
  /** Since when the phone itself is offline; its linked devices continue to work. */
  absentSinceMs: number | undefined;
  /** Deliveries for when the phone is back. */
  readonly waitingForPhone: (() => void)[] = [];
  /** Linking a device requires a passkey of the account; without one, the phone asks to create it first. */
  passkeyGate: "none" | "passkey" = "none";
  /** By id. */
  readonly passkeys = new Map<string, Passkey>();
  /** How many of the next bundles of this phone have a forged signature. */
  forgedBundles = 0;
  nextDevice = 1;

  constructor(setup: { phone: string; lid: string; name: string; device?: SignalDevice }) {
    this.phone = setup.phone;
    this.lid = setup.lid;
    this.name = setup.name;
    this.aliases = [];
    this.device = setup.device ?? new SignalDevice();
  }

  get jid(): string {
    return phoneJid(this.phone);
  }

  get lidJid(): string {
    return lidJid(this.lid);
  }

  /** The number of this phone's requests for a message that it could not decrypt; undefined: it has given up. */
  countAsking(message: string): number | undefined {
    const count = (this.#asked.get(message) ?? 0) + 1;
    if (count > maxAskings) return undefined;
    this.#asked.set(message, count);
    return count;
  }

  /** The conversation with a phone or group; created if it does not exist. */
  chat(address: string): Conversation {
    const known = this.chats.get(address);
    if (known) return known;
    const chat = new Conversation();
    this.chats.set(address, chat);
    return chat;
  }

  /** The sender key of this phone in a group. */
  groupKey(group: string): SenderKey {
    const known = this.#groupKeys.get(group);
    if (known) return known;
    const key = new SenderKey();
    this.#groupKeys.set(group, key);
    return key;
  }

  /** A member has left the group: everyone uses a new key from now on. */
  renewGroupKey(group: string): void {
    this.#groupKeys.delete(group);
  }
}

/** A device that is linked to somebody's account. */
export type Companion = LinkedDevice<Person>;

/** A receipt that is not sent yet. */
export interface Owed {
  readonly id: string;
  readonly author: Person;
  /** A group's id; undefined in a chat of two. */
  readonly group: string | undefined;
  /** The author wrote to the LID, so the reply comes from there. */
  readonly byLid: boolean;
}

/** The sender's address in a message: the phone number, or the LID with or without the number. */
export type Addressing = "pn" | "lid" | "lid_only";

/** A message written on the phone. */
export interface Writing {
  readonly id: string;
  readonly to: Person | Group;
  readonly message: proto.IMessage;
  /** What linked devices get instead; an echo is never sealed. */
  readonly sealed?: proto.IMessage | undefined;
  readonly addressing: Addressing;
  /** `1`: an edit; `7`: a deletion by the author, `8`: by an admin. */
  readonly edit?: "1" | "7" | "8";
  /** Devices cannot decrypt it; they request it again. */
  readonly corrupt?: boolean;
  /** Linked devices are only told that the phone has something to show. */
  readonly withheld?: boolean;
  /** It is not sent again when a device requests it. */
  readonly unrepeatable?: boolean;
  /** The id of the writer's broadcast list that contains `to`. */
  readonly list?: string | undefined;
}
