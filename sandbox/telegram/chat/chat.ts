import { badRequest, forbidden } from "../call/api-error.ts";
import type { ChatShape, Message, User } from "../shape.ts";
import { MessageRing } from "./message-ring.ts";

/** The role of a bot in a group. */
export type Membership = "member" | "administrator" | "left" | "kicked";

/** The keyboard under a customer's input field, as the bot last set it. */
export interface ReplyKeyboard {
  readonly rows: readonly (readonly { readonly text: string }[])[];
  readonly oneTime: boolean;
}

export interface Topic {
  readonly created: Message;
  isClosed: boolean;
}

/** The common state of private chats and groups. */
abstract class BaseChat {
  abstract shape: ChatShape;
  readonly messages: MessageRing;
  lastMessageId = 0;
  keyboard: ReplyKeyboard | undefined;
  /** Pinned messages, newest pin last. */
  readonly pins = new Set<number>();

  constructor(keepMessages: number) {
    this.messages = new MessageRing(keepMessages);
  }

  nextMessageId(): number {
    this.lastMessageId++;
    return this.lastMessageId;
  }
}

/** The conversation of one bot with one user; exists once the user has pressed start. */
export class PrivateChat extends BaseChat {
  readonly kind = "private";
  shape: ChatShape;
  user: User;
  blocked = false;
  deactivated = false;

  constructor(user: User, keepMessages: number) {
    super(keepMessages);
    this.user = user;
    this.shape = privateShape(user);
  }

  /** Throws the platform's error if the bot may not write or edit here. */
  assertWritable(_botId: number): void {
    if (this.deactivated) throw forbidden("user is deactivated");
    if (this.blocked) throw forbidden("bot was blocked by the user");
  }
}

/** A group or supergroup, seen by every bot in it. */
export class GroupChat extends BaseChat {
  readonly kind = "group";
  shape: ChatShape;
  readonly users = new Map<number, User>();
  readonly bots = new Map<number, Membership>();
  /** Ids of users. */
  readonly administrators = new Set<number>();
  /** Of a forum, by the id of the message that created the topic. */
  readonly topics = new Map<number, Topic>();
  /** The supergroup that replaced it; nothing can be written here any more. */
  upgradedTo: number | undefined;

  constructor(shape: ChatShape, keepMessages: number) {
    super(keepMessages);
    this.shape = shape;
  }

  /** Text of the official server's `check_chat_access`. */
  assertWritable(botId: number): void {
    const name = `${this.shape.type} chat`;
    if (this.upgradedTo !== undefined) {
      throw badRequest("group chat was upgraded to a supergroup chat", {
        migrate_to_chat_id: this.upgradedTo,
      });
    }
    const membership = this.bots.get(botId);
    if (membership === "kicked") throw forbidden(`bot was kicked from the ${name}`);
    if (membership === undefined || membership === "left")
      throw forbidden(`bot is not a member of the ${name}`);
  }
}

export type Chat = PrivateChat | GroupChat;

/** The chat object of a private chat, with the user's own name. */
export function privateShape(user: User): ChatShape {
  const { id, first_name, last_name, username } = user;
  return {
    id,
    first_name,
    ...(last_name !== undefined && { last_name }),
    ...(username !== undefined && { username }),
    type: "private",
  };
}
