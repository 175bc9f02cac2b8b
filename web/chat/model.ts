import type { Operations } from "../kit/api/generated.ts";
import { withoutDirections } from "../kit/bidi.ts";
import { beginning } from "../kit/pieces.ts";
import type { Placed } from "./thread/rows.ts";

export type Session = Operations["openChatSession"]["output"];
export type Channel = Operations["listChatChannels"]["output"][number];
export type Chat = Operations["getChat"]["output"];
export type WireMessage = Operations["listMessages"]["output"]["messages"][number];
/** An internal note, or what an employee did with the chat. */
export type Entry = Operations["addNote"]["output"];
/** What a thread consists of. */
export type Item = WireMessage | Entry;
export type Colleague = NonNullable<Chat["assignee"]>;
export type Abilities = Operations["getAbilities"]["output"];
export type Template = Operations["listChatTemplates"]["output"][number];
export type Client = Operations["getClient"]["output"];
export type StoredFile = NonNullable<WireMessage["file"]>;
export type Status = WireMessage["status"];

/** The chat with the beginning of its name: customers choose names, and rows and headings render them whole. */
export function withShortName(chat: Chat): Chat {
  const { name, username } = chat;
  return { ...chat, name: nameShown(name), username: username && nameShown(username) };
}

/** The beginning of a name of a person or a file, in the order of its letters. */
export function nameShown(name: string): string {
  return beginning(withoutDirections(name));
}

/** A message as shown in the thread. */
export interface Message extends Placed {
  readonly wire: WireMessage;
  readonly order: string;
  readonly chatType: string;
  /** Shown above the group: colleagues, and authors in a group. Empty for a single customer. */
  readonly authorName: string;
  /** Not accepted by the service yet. */
  readonly pending: Pending | null;
}

/** The progress of a message that the service has not accepted yet. */
export interface Pending {
  readonly state: "waiting" | "uploading" | "sending" | "refused" | "lost";
  /** 0 to 1, while a file is on its way. */
  readonly progress: number;
  readonly problem: string | null;
}

export function isMessage(item: Item): item is WireMessage {
  return "direction" in item;
}

/** The thread's form of a message of the service. */
export function placed(wire: WireMessage, chatType: string, pending: Pending | null = null): Message {
  const isOut = wire.direction !== "in";
  const authorName = nameShown((isOut ? wire.author?.name : wire.sender?.name) ?? "");
  const author = (isOut ? wire.author?.id : wire.sender?.id) ?? authorName;
  return {
    wire,
    id: wire.id,
    order: wire.order,
    chatType,
    type: wire.file?.is_external === true ? "link" : wire.type,
    time: Date.parse(wire.at),
    isOut,
    author: `${wire.direction} ${author}`,
    authorName,
    text: wire.text ?? "",
    isDeleted: wire.deleted_at !== null,
    hasQuote: wire.quoted !== null,
    isAccepted: pending === null && wire.status !== "error",
    pending,
  };
}
