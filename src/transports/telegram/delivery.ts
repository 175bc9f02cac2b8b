import type { TransportEvent } from "../../core/transport/events.ts";
import { emitAll } from "../kit/emit-all.ts";
import { describe } from "../kit/failures.ts";
import { inSlices } from "../kit/in-slices.ts";
import { settleAll } from "../kit/settle-all.ts";
import type { Bot } from "./bot.ts";
import { ALLOWED_UPDATES, toEvents } from "./inbound.ts";
import { notePlaces, placeOf } from "./topics.ts";
import { readUpdate, type TgMembership, type TgUpdate } from "./update.ts";

type Receiver = Pick<Bot, "link" | "client" | "signal">;

/**
 * Emits the events of updates in order; an update that cannot be parsed becomes a dead letter. Resolves when all are
 * stored; rejects if one is not.
 */
export async function deliver(updates: readonly unknown[], receiver: Receiver): Promise<void> {
  const reads = updates.map((raw) => ({ raw, read: readEvents(raw, receiver) }));
  // Before the messages are known to a CRM, which may reply at once.
  const places = reads.flatMap(({ read }) => placesIn(read));
  if (places.length > 0) await notePlaces(receiver.link, places);
  await inSlices(reads, (each) => deliverOne(each, receiver));
}

function placesIn(read: ReadUpdate): NonNullable<ReturnType<typeof placeOf>>[] {
  if ("reason" in read || read.update.message === undefined) return [];
  const place = read.events.some(({ kind }) => kind === "message") ? placeOf(read.update.message) : null;
  return place === null ? [] : [place];
}

/** Calls `emit` before its first await, so that the calls keep the order of the updates. */
async function deliverOne(
  { raw, read }: { readonly raw: unknown; readonly read: ReadUpdate },
  receiver: Receiver,
): Promise<void> {
  if ("reason" in read) return receiver.link.deadLetter(raw, read.reason);
  const { update, events } = read;
  await settleAll([
    emitAll(receiver.link, events, raw),
    ...unknownIn(raw, update).map((kind) => receiver.link.reportUnknown(kind, raw)),
  ]);
  const pressId = update.callback_query?.id;
  if (pressId !== undefined) void answerPress(pressId, receiver);
  if (update.my_chat_member) logMembership(update.my_chat_member, receiver);
}

const KNOWN: readonly string[] = ["update_id", ...ALLOWED_UPDATES];
/** An update has one part. */
const MAX_UNKNOWN = 3;

/** The parts and fields that the connector does not know, such as a message of a business connection. */
function unknownIn(raw: unknown, { message, edited_message }: TgUpdate): readonly string[] {
  const names = typeof raw === "object" && raw !== null ? Object.keys(raw) : [];
  const parts = names.filter((name) => !KNOWN.includes(name)).map((name) => `update.${name}`);
  const fields = Object.keys(message?.unknown ?? edited_message?.unknown ?? {});
  return [...parts, ...fields.map((name) => `message.${name}`)].slice(0, MAX_UNKNOWN);
}

type ReadUpdate =
  | { readonly update: TgUpdate; readonly events: readonly TransportEvent[] }
  | { readonly reason: string };

/** Returns the failure as a value, so that an update that cannot be parsed does not block later ones. */
function readEvents(raw: unknown, { client }: Receiver): ReadUpdate {
  if (typeof raw !== "object" || raw === null) return { reason: "the update is not an object" };
  try {
    const update = readUpdate(raw);
    return { update, events: toEvents(update, { botId: client.botId, now: new Date() }) };
  } catch (error) {
    return { reason: describe(error, client) };
  }
}

/** Ends the progress indicator on the button (Bot API, `CallbackQuery`). Runs in the background. */
async function answerPress(id: string, { link, client, signal }: Receiver): Promise<void> {
  try {
    await client.call("answerCallbackQuery", { callback_query_id: id }, { signal });
  } catch (error) {
    link.log("debug", "Telegram: a button press could not be answered", {
      detail: describe(error, client),
    });
  }
}

/** Logs that a person blocked or unblocked the bot, or that a group added or removed it. */
function logMembership({ chat, new_chat_member }: TgMembership, { link }: Receiver): void {
  const details = { chatId: String(chat?.id), status: new_chat_member?.status };
  link.log("info", "Telegram: the bot's membership changed", details);
}
