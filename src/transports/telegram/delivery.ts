import type { CallbackQuery, ChatMemberUpdated, Update } from "@grammyjs/types";
import type { TransportEvent } from "../../core/transport/events.ts";
import { type Bot, describe } from "./bot.ts";
import { toEvents } from "./inbound.ts";

type Receiver = Pick<Bot, "link" | "client" | "signal">;

/** Emits the events of updates in their order. Resolves when all are stored; rejects when one is not. */
export async function deliver(updates: readonly Update[], receiver: Receiver): Promise<void> {
  const outcomes = await Promise.allSettled(updates.map((update) => deliverOne(update, receiver)));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}

/** Calls `emit` before its first pause, so that the order of the calls is the order of the updates. */
async function deliverOne(update: Update, receiver: Receiver): Promise<void> {
  await Promise.all(readEvents(update, receiver).map((event) => receiver.link.emit(event)));
  if (update.callback_query) void answerPress(update.callback_query, receiver);
  if (update.my_chat_member) logMembership(update.my_chat_member, receiver);
}

/** An update that cannot be read must not hold up those behind it. */
function readEvents(update: Update, { link, client }: Receiver): TransportEvent[] {
  try {
    return toEvents(update, { botId: client.botId, now: new Date() });
  } catch (error) {
    const detail = describe(error, client);
    link.log("warn", "Telegram: an update cannot be read and is left out", {
      updateId: update.update_id,
      detail,
    });
    return [];
  }
}

/** Ends the progress bar on the button (Bot API, `CallbackQuery`). Nobody waits for it. */
async function answerPress({ id }: CallbackQuery, { link, client, signal }: Receiver): Promise<void> {
  try {
    await client.call("answerCallbackQuery", { callback_query_id: id }, { signal });
  } catch (error) {
    link.log("debug", "Telegram: the press of a button was not answered", {
      detail: describe(error, client),
    });
  }
}

/** A person blocked or unblocked the bot, or a group took it in or put it out. */
function logMembership({ chat, new_chat_member }: ChatMemberUpdated, { link }: Receiver): void {
  const details = { chatId: String(chat?.id), status: new_chat_member?.status };
  link.log("info", "Telegram: the bot's membership changed", details);
}
