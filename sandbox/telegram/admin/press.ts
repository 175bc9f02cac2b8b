import { randomInt } from "node:crypto";
import { AdminError, type Fields, missing } from "../../http/fields.ts";
import type { AdminCall } from "../../http/route.ts";
import type { Bot, Press } from "../bot.ts";
import type { Chat } from "../chat/chat.ts";
import { writeInGroup, writePrivately } from "../inbound.ts";
import type { InlineButton, Message } from "../shape.ts";
import type { World } from "../world.ts";
import type { Seat } from "./seat.ts";

interface Found {
  readonly message: Message;
  readonly button: InlineButton;
}

/**
 * Presses a button, found by `data` or `text`, on the newest message that has it or on `message_id`. A button of a
 * reply keyboard writes its text. With `timeout_ms`, waits for the bot's answer.
 */
export async function press(world: World, seat: Seat, { body, signal }: AdminCall): Promise<unknown> {
  const found = findInline(seat.chat, body);
  if (!found) return pressKeyboard(world, seat, body);
  const { button, message } = found;
  if (button.url !== undefined) return { kind: "url", url: button.url };
  if (button.callback_data === undefined) {
    throw new AdminError(
      409,
      "not_pressable",
      `the button "${button.text}" is of a kind that is not emulated`,
    );
  }
  const bot = ownerOf(world, seat, message);
  const query = pressInline(world, seat, bot, message, button.callback_data);
  const timeoutMs = body.integer("timeout_ms");
  const answer = timeoutMs === undefined ? undefined : await waitForAnswer(bot, query.id, timeoutMs, signal);
  return { kind: "callback", callback_query_id: query.id, update_id: query.updateId, answer: answer ?? null };
}

/** The bot's answer to a press; undefined after the time limit. */
export async function waitForAnswer(
  bot: Bot,
  callbackQueryId: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Press["answer"]> {
  const where = (press: Press) => press.callback_query_id === callbackQueryId;
  const page = await bot.answers.read({ where, count: 1, timeoutMs, signal });
  return page.items[0]?.answer;
}

/** https://core.telegram.org/bots/api#callbackquery */
function pressInline(world: World, seat: Seat, bot: Bot, message: Message, data: string) {
  const id = String(randomInt(1e12, 2e14));
  const query = {
    id,
    from: seat.user,
    message,
    chat_instance: String(-seat.chat.shape.id * 7919),
    data,
  };
  const pressed = { callback_query_id: id, chat_id: seat.chat.shape.id, pressed_at_ms: world.clock.nowMs() };
  bot.notePress(pressed);
  return { id, updateId: world.notify(bot, { callback_query: query }, `presses of ${seat.user.id}`) };
}

function findInline(chat: Chat, body: Fields): Found | undefined {
  const messageId = body.integer("message_id");
  const messages = messageId === undefined ? chat.messages.newest() : [chat.messages.get(messageId)];
  if (messageId !== undefined && !messages[0]) throw missing("message", messageId);
  for (const message of messages) {
    const button = message?.reply_markup?.inline_keyboard
      .flat()
      .find((candidate) => matches(candidate, body));
    if (message && button) return { message, button };
  }
  return undefined;
}

function matches(button: InlineButton, body: Fields): boolean {
  const data = body.text("data");
  const text = body.text("text");
  if (data === undefined && text === undefined)
    throw new AdminError(400, "invalid_field", "data or text is needed");
  return (
    (data === undefined || button.callback_data === data) && (text === undefined || button.text === text)
  );
}

function ownerOf(world: World, seat: Seat, message: Message): Bot {
  return seat.bot ?? world.bot(message.from?.id ?? 0);
}

/** A press on a reply keyboard is an ordinary message: https://core.telegram.org/bots/api#replykeyboardmarkup */
function pressKeyboard(world: World, { chat, user, bot }: Seat, body: Fields): unknown {
  const text = body.text("text");
  const button = chat.keyboard?.rows.flat().find((candidate) => candidate.text === text);
  if (!button) throw missing("button", text ?? body.text("data") ?? "");
  if (chat.keyboard?.oneTime) chat.keyboard = undefined;
  const content = { text: button.text };
  if (chat.kind === "group") return { kind: "text", ...writeInGroup(world, chat, user, content) };
  if (bot) return { kind: "text", ...writePrivately(world, bot, chat, content) };
  throw missing("bot for the chat", chat.shape.id);
}
