import type { HistoryMessage, TransportEvent } from "../../../core/transport/events.ts";
import { HISTORY_BATCH } from "../../../core/transport/events.ts";
import { messageOf } from "../../../platform/message-of.ts";
import { type Json, numberIn, objectIn, objectsIn, textIn } from "../../kit/json.ts";
import { readItems } from "../inbound.ts";
import { digitsOf } from "../linking/account.ts";

/** The owner has declined to share the history (page "history webhook reference"). */
const DECLINED = "2593109";
const STATUSES: Readonly<Record<string, HistoryMessage["status"]>> = {
  DELIVERED: "delivered",
  READ: "read",
  PLAYED: "read",
};

export interface ReadHistory {
  readonly events: readonly TransportEvent[];
  /** The last chunk was named, or there will be none; others may still be on their way. */
  readonly isEnding: boolean;
  readonly notes: readonly string[];
}

/**
 * Maps a change of the field `history`: chunks of chats, or messages whose files the chunks have left out. Chunks may
 * arrive in any order, so none ends the import. A message that cannot be parsed is left out, with a note. Pure.
 */
export function readHistory(value: Json): ReadHistory {
  const business = digitsOf(textIn(objectIn(value, "metadata"), "display_phone_number"));
  const chunks = objectsIn(value, "history");
  const read = chunks.map((chunk) => readChunk(chunk, business));
  const files = batchesOf(
    objectsIn(value, "messages").map((message) => ({ message, person: undefined })),
    business,
  );
  return {
    events: [...read.flatMap(({ events }) => events), ...files.events],
    isEnding: read.some(({ isEnding }) => isEnding),
    notes: [...read.flatMap(({ notes }) => notes), ...files.notes],
  };
}

function readChunk(chunk: Json, business: string): ReadHistory {
  const errors = objectsIn(chunk, "errors");
  const progress = numberIn(objectIn(chunk, "metadata"), "progress") ?? 0;
  const found = objectsIn(chunk, "threads").flatMap((thread) =>
    objectsIn(thread, "messages").map((message) => ({ message, person: textIn(thread, "id") })),
  );
  const { events, notes } = batchesOf(found, business);
  const told = errors.map((error) => `The history is not available: ${textIn(error, "title") ?? ""}`);
  const isDeclined = errors.some((error) => String(error["code"]) === DECLINED);
  return {
    events: [...events, { kind: "history", messages: [], progress: Math.min(progress, 99) }],
    isEnding: progress >= 100 || isDeclined,
    notes: [...notes, ...told],
  };
}

interface Found {
  readonly message: Json;
  /** The chat's number. */
  readonly person: string | undefined;
}

function batchesOf(found: readonly Found[], business: string): Pick<ReadHistory, "events" | "notes"> {
  const read: HistoryMessage[] = [];
  const notes = new Set<string>();
  for (const each of found) {
    try {
      read.push(...messagesOf(each, business));
    } catch (error) {
      notes.add(`A message of the history could not be parsed: ${messageOf(error)}`);
    }
  }
  // The newest first over all batches, the oldest first within each.
  const inOrder = read.toSorted((a, b) => b.sentAt.getTime() - a.sentAt.getTime());
  const events = Array.from({ length: Math.ceil(inOrder.length / HISTORY_BATCH) }, (_, n) => ({
    kind: "history" as const,
    messages: inOrder.slice(n * HISTORY_BATCH, (n + 1) * HISTORY_BATCH).toReversed(),
  }));
  return { events, notes: [...notes] };
}

function messagesOf({ message: given, person }: Found, business: string): HistoryMessage[] {
  const context = objectIn(given, "history_context");
  const isOwn = digitsOf(textIn(given, "from")) === business || context?.["from_me"] === true;
  const { history_context: _, ...message } = given;
  const addressed = isOwn ? { ...message, to: textIn(message, "to") ?? person } : message;
  const isPlaceholder = textIn(message, "type") === "media_placeholder";
  const readable = isPlaceholder ? { ...addressed, type: "unsupported" } : addressed;
  const { events, unread } = readItems({ [isOwn ? "message_echoes" : "messages"]: [readable] });
  const [fault] = unread;
  if (fault !== undefined) throw new Error(fault.reason);
  const status = STATUSES[textIn(context, "status")?.toUpperCase() ?? ""] ?? "sent";
  return events.flatMap((event) => {
    if (event.kind !== "message") return [];
    const body = isPlaceholder
      ? ({ type: "unsupported", what: "file", isAwaited: true } as const)
      : event.message.body;
    return [{ ...event.message, body, status }];
  });
}
