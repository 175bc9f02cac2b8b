import type { ChatType } from "../transport/definition.ts";
import type { InboundMessage, TransportEvent } from "../transport/events.ts";
import type { ReadPosition } from "./read-reports.ts";

export type MessengerEvent = Exclude<TransportEvent, { kind: ChannelEventKind }>;
/** Kinds of events that are not about one chat. */
export const CHANNEL_EVENT_KINDS = [
  "link",
  "templates",
  "template",
  "tier",
  "cooldown",
  "restriction",
  "activity",
  "contactNames",
  "typing",
  "history",
] as const;
type ChannelEventKind = (typeof CHANNEL_EVENT_KINDS)[number];

/** A messenger's report about a channel's messages. */
export interface Report {
  readonly accountId: number;
  readonly channelId: string;
  readonly event: MessengerEvent;
  /** For a first message: the stored file with the picture of the chat. */
  readonly pictureId?: string;
  /** For a message with a file that is stored already: its id. */
  readonly fileId?: string;
  /** Of a `readUpTo` that is partly stored. */
  readonly readFrom?: ReadPosition;
}

/** A report with its chat, which may turn out to be another one when its message is stored. */
export type Located<E extends MessengerEvent = MessengerEvent> = Report & {
  readonly event: E;
  chat: string;
};
export type LocatedMessage = Located<{ kind: "message"; message: InboundMessage }>;
export type LocatedMove = Located<Extract<MessengerEvent, { kind: "moved" }>>;

/** The chat that an event is about. */
export function chatOf(event: MessengerEvent): { chatType: ChatType; chatId: string } {
  if (event.kind === "message") return event.message;
  return event.kind === "moved" || event.kind === "readUpTo" ? event : event.ref;
}
