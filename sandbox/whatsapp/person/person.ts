import type { proto } from "baileys/WAProto/index.js";
import { Journal } from "../../journal.ts";
import { Conversation } from "../chat/conversation.ts";
import type { InboxItem } from "../chat/inbox-item.ts";
import type { Group } from "../group.ts";
import { SignalDevice } from "../signal/device.ts";
import { SenderKey, SenderKeyRing } from "../signal/sender-key.ts";
import { lidJid, phoneJid } from "../wire/jid.ts";
import type { LinkedDevice } from "./linked-device.ts";
import type { Picture } from "./picture.ts";

/** Whether something happens by itself or waits until a test lets it. */
export type Pace = "auto" | "held";

/** How a person's phone and the server behave towards those who write. */
export interface Behaviour {
  /** The server's acknowledgement of what this person's linked devices send. */
  acks: Pace;
  /** Delivery receipts of this person's phone. */
  deliveries: Pace;
  /** Whether this person reads at once. */
  reads: Pace;
}

const usualBehaviour: Behaviour = { acks: "auto", deliveries: "auto", reads: "held" };

/** The most devices that a phone lets be linked. */
export const maxCompanions = 4;

const keptInboxItems = 2000;

/** A phone asks so often for a message that it cannot read. */
const maxAskings = 5;

/** Somebody with WhatsApp on a phone: a contact of others, and perhaps the owner of linked devices. */
export class Person {
  readonly phone: string;
  readonly lid: string;
  name: string;
  /** Other spellings of the number that lead to this person (the ninth digit of Brazil). */
  aliases: readonly string[];
  /** The phone itself, device 0; another one after a reinstallation. */
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
  /** What this phone wrote, by id and conversation, to be sent again when a device could not read it. */
  readonly written = new Map<string, Writing>();
  /** How often this phone asked for a message that it could not read, by message id and author. */
  readonly #asked = new Map<string, number>();
  /** Receipts that this person still owes, by message id. */
  readonly undelivered = new Map<string, Owed>();
  readonly unread = new Map<string, Owed>();
  /** Acknowledgements that the server keeps back from this person's devices, by message id. */
  readonly heldAcks = new Map<string, () => void>();
  readonly #groupKeys = new Map<string, SenderKey>();
  /** The profile picture, shown to everybody. */
  picture: Picture | undefined;
  /** Until when the account may not begin new chats. */
  restrictedUntilMs: number | undefined;
  /** Since when the phone itself is offline; its linked devices go on. */
  absentSinceMs: number | undefined;
  /** What reaches the phone once it is back. */
  readonly waitingForPhone: (() => void)[] = [];
  /** How many of the next bundles of this phone are signed by nobody. */
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

  /** The how manieth time this phone asks for a message that it could not read; undefined when it has given up. */
  countAsking(message: string): number | undefined {
    const count = (this.#asked.get(message) ?? 0) + 1;
    if (count > maxAskings) return undefined;
    this.#asked.set(message, count);
    return count;
  }

  /** The conversation with a phone or group, begun when there is none. */
  chat(address: string): Conversation {
    const known = this.chats.get(address);
    if (known) return known;
    const chat = new Conversation();
    this.chats.set(address, chat);
    return chat;
  }

  /** What this phone writes into a group with. */
  groupKey(group: string): SenderKey {
    const known = this.#groupKeys.get(group);
    if (known) return known;
    const key = new SenderKey();
    this.#groupKeys.set(group, key);
    return key;
  }

  /** Somebody has left the group: from now on everybody writes with another key. */
  renewGroupKey(group: string): void {
    this.#groupKeys.delete(group);
  }
}

/** A device that is linked to somebody's account. */
export type Companion = LinkedDevice<Person>;

/** A receipt that a person has not given yet. */
export interface Owed {
  readonly id: string;
  readonly author: Person;
  /** A group's id; undefined in a chat of two. */
  readonly group: string | undefined;
  /** The author wrote to the LID, so the answer comes from there. */
  readonly byLid: boolean;
}

/** How the sender of a message appears: under the phone number, or the LID with or without the number beside it. */
export type Addressing = "pn" | "lid" | "lid_only";

/** What a person writes from the phone. */
export interface Writing {
  readonly id: string;
  readonly to: Person | Group;
  readonly message: proto.IMessage;
  /** What linked devices get in its place; an echo is never sealed. */
  readonly sealed?: proto.IMessage | undefined;
  readonly addressing: Addressing;
  /** `1`: an edit; `7`: a deletion by the author, `8`: by an admin. */
  readonly edit?: "1" | "7" | "8";
  /** Devices cannot read it; they ask for it again. */
  readonly corrupt?: boolean;
  /** Linked devices are only told that there is something to be seen on the phone. */
  readonly withheld?: boolean;
  /** It is not sent again when a device asks. */
  readonly unrepeatable?: boolean;
  /** The writer's broadcast list, by its id, that `to` is on. */
  readonly list?: string | undefined;
}
