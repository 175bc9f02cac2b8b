import type { TransportEvent } from "../../core/transport/events.ts";
import { text } from "../../platform/foreign/foreign-json.ts";
import { emitAll } from "../kit/emit-all.ts";
import { describe } from "../kit/failures.ts";
import { inSlices } from "../kit/in-slices.ts";
import type { Bot } from "./bot.ts";
import type { Self } from "./context.ts";
import { labelOf, toEvents } from "./inbound.ts";
import { findTitles } from "./titles.ts";
import { unknownIn } from "./unknown.ts";
import { type MaxUpdate, readUpdate } from "./update.ts";

export type Receiver = Pick<Bot, "link" | "client" | "signal"> & {
  readonly self: Self;
};

/**
 * Emits the events of updates in order; an update that cannot be parsed becomes a dead letter. Resolves when all are
 * stored; rejects if one is not.
 */
export async function deliver(updates: readonly unknown[], receiver: Receiver): Promise<void> {
  const titles = await findTitles(updates, receiver);
  await inSlices(updates, (update) => deliverOne(update, titles, receiver));
}

/** Calls `emit` before its first await, so that the calls keep the order of the updates. */
async function deliverOne(
  raw: unknown,
  titles: ReadonlyMap<string, string>,
  receiver: Receiver,
): Promise<void> {
  const read = readEvents(raw, titles, receiver);
  if ("reason" in read) return receiver.link.deadLetter(raw, read.reason);
  const { update, events } = read;
  await emitAll(receiver.link, events, raw);
  for (const kind of unknownIn(update, raw)) await receiver.link.reportUnknown(kind, raw);
  if (update.update_type === "message_callback") void answerPress(update, receiver);
  if (update.update_type === "bot_stopped" || update.update_type === "dialog_removed")
    receiver.link.log("info", "MAX: a user stopped the bot", { chatId: update.chat_id });
}

type ReadUpdate =
  | { readonly update: MaxUpdate; readonly events: readonly TransportEvent[] }
  | { readonly reason: string };

/** Returns the failure as a value, so that an update that cannot be parsed does not block later ones. */
function readEvents(raw: unknown, titles: ReadonlyMap<string, string>, receiver: Receiver): ReadUpdate {
  const { client, self } = receiver;
  try {
    const update = readUpdate(raw);
    const titleOf = (chatId: string) => titles.get(chatId) ?? "";
    return { update, events: toEvents(update, { self, now: new Date(), titleOf }) };
  } catch (error) {
    return { reason: describe(error, client) };
  }
}

/** Shows the chosen label to the person, which ends the progress indicator on the button. Runs in the background. */
async function answerPress(
  { callback, message }: MaxUpdate,
  { client, link, signal }: Receiver,
): Promise<void> {
  const id = text(callback?.callback_id);
  if (id === undefined) return;
  const label = labelOf(message?.body?.attachments, callback?.payload ?? "");
  try {
    const body = { notification: label ?? "✓" };
    await client.call("POST", "/answers", { query: { callback_id: id }, body, signal });
  } catch (error) {
    link.log("debug", "MAX: a button press could not be answered", { detail: describe(error, client) });
  }
}
