import { randomBytes } from "node:crypto";
import { Journal } from "../journal.ts";
import type { CallbackServer, ServerStatus } from "./callback/server.ts";
import { Chat, Dialog } from "./chat/dialog.ts";
import { LongPoll } from "./long-poll.ts";
import type { Message, User } from "./shape.ts";
import { chatOffset } from "./shape.ts";

/** A recorded action of the community, for tests to read and wait for. */
export interface SentRecord {
  readonly method: string;
  readonly at: string;
  readonly peer_id: number;
  readonly message_id: number;
  readonly conversation_message_id: number;
  /** The message after the call; absent for deletions, typing and reading. */
  readonly message?: Message;
  readonly request: Readonly<Record<string, string>>;
}

/** A press on a callback button, with the community's answer once given. */
export interface Press {
  readonly event_id: string;
  readonly user_id: number;
  readonly peer_id: number;
  readonly at_ms: number;
  answer?: Readonly<Record<string, unknown>>;
}

/** A request of the confirmation code from a server. */
export interface Confirmation {
  readonly server_id: number;
  readonly url: string;
  readonly status: ServerStatus;
}

const keptPresses = 1000;

/** The initial data of a community. */
export interface CommunitySetup {
  readonly id: number;
  readonly name: string;
  readonly screenName: string;
  readonly ownerId: number;
  readonly keepMessages: number;
}

/** A community with its conversations and its subscriptions to events. */
export class Community {
  readonly id: number;
  name: string;
  screenName: string;
  /** The person who administers it. */
  readonly ownerId: number;
  /** Whether people can write to it, and whether it may use keyboards: switches in its settings. */
  messagesEnabled = true;
  botsEnabled = true;
  confirmationCode = randomBytes(4).toString("hex");
  lastServerId = 0;
  lastMessageId = 0;
  readonly servers = new Map<number, CallbackServer>();
  readonly longPoll = new LongPoll();
  readonly dialogs = new Map<number, Dialog>();
  readonly sent = new Journal<SentRecord>(10_000);
  readonly presses = new Map<string, Press>();
  readonly answers = new Journal<Press>(keptPresses);
  /** Requests of the confirmation code, with their results. */
  readonly confirmations = new Journal<Confirmation>(100);
  /** Requests to the long-poll server, recorded when they start to wait. */
  readonly polls = new Journal<{ readonly ts: string; readonly wait: number }>(100);
  readonly #keep: number;

  constructor(setup: CommunitySetup) {
    this.id = setup.id;
    this.name = setup.name;
    this.screenName = setup.screenName;
    this.ownerId = setup.ownerId;
    this.#keep = setup.keepMessages;
  }

  dialogWith(user: User): Dialog {
    const existing = this.dialogs.get(user.id);
    if (existing) return existing;
    const dialog = new Dialog(user.id, this.#keep);
    this.dialogs.set(user.id, dialog);
    return dialog;
  }

  addChat(setup: { title: string; ownerId: number; peerId?: number }): Chat {
    const chats = [...this.dialogs.values()].filter((dialog) => dialog instanceof Chat);
    const peerId = setup.peerId ?? chatOffset + chats.length + 1;
    const chat = new Chat(peerId, this.#keep, setup);
    this.dialogs.set(peerId, chat);
    return chat;
  }

  nextMessageId(): number {
    this.lastMessageId++;
    return this.lastMessageId;
  }

  /** Finds a message by its id in the community. */
  messageById(id: number): { readonly dialog: Dialog; readonly message: Message } | undefined {
    for (const dialog of this.dialogs.values()) {
      const message = id > 0 ? dialog.byId(id) : undefined;
      if (message) return { dialog, message };
    }
    return undefined;
  }

  /** Stores a press for its answer; the oldest are dropped. */
  notePress(press: Press): void {
    this.presses.set(press.event_id, press);
    const [oldest] = this.presses.keys();
    if (this.presses.size > keptPresses && oldest !== undefined) this.presses.delete(oldest);
  }

  release(): void {
    this.sent.release();
    this.answers.release();
    this.confirmations.release();
    this.polls.release();
    this.longPoll.release();
  }
}
