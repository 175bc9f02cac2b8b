import { randomBytes } from "node:crypto";
import { AdminError, type Fields, isRecord } from "../../http/fields.ts";
import type { Numbered } from "../../journal.ts";
import { Bot, type PressAnswer } from "../bot.ts";
import type { StoredMessage } from "../chat/chat.ts";
import { tellBot, writeToChat } from "../inbound.ts";
import type { Button } from "../message/keyboard.ts";
import { messageShape, userShape } from "../shape.ts";
import type { World } from "../world.ts";
import { ownContact } from "./content.ts";
import type { Seat } from "./seat.ts";

/**
 * Presses the newest button that matches `{text?, payload?, mid?}`; with `timeout_ms`, waits for the bot's answer.
 */
export async function press(seat: Seat, body: Fields): Promise<unknown> {
  const { world, chat, user, bot } = seat;
  const { message, button } = findButton(seat, body);
  switch (button.type) {
    case "callback":
      return pressCallback(seat, message, button, body.integer("timeout_ms") ?? 0);
    case "link":
      return { kind: "url", url: button["url"] };
    case "message":
      return { kind: "message", ...writeToChat(world, chat, user, { text: button.text, attachments: [] }) };
    case "request_contact":
      return {
        kind: "contact",
        ...writeToChat(world, chat, user, { text: null, attachments: [ownContact(user, bot)] }),
      };
    case "request_geo_location": {
      const place = { type: "location", latitude: 55.7558, longitude: 37.6176 };
      return { kind: "location", ...writeToChat(world, chat, user, { text: null, attachments: [place] }) };
    }
    default:
      return { kind: button.type, payload: button["payload"] ?? null };
  }
}

function findButton({ chat }: Seat, body: Fields): { message: StoredMessage; button: Button } {
  const [text, payload, mid] = [body.text("text"), body.text("payload"), body.text("mid")];
  for (const message of chat.newest()) {
    if (mid !== undefined && message.mid !== mid) continue;
    const button = buttonsOf(message).find(
      (each) => (text ?? each.text) === each.text && (payload ?? each["payload"]) === each["payload"],
    );
    if (button) return { message, button };
  }
  throw new AdminError(409, "no_button", "no message has such a button");
}

function buttonsOf({ attachments }: StoredMessage): readonly Button[] {
  const keyboard = attachments.find(({ type }) => type === "inline_keyboard");
  const payload = isRecord(keyboard?.["payload"]) ? keyboard["payload"] : {};
  return Array.isArray(payload["buttons"]) ? (payload["buttons"] as Button[][]).flat() : [];
}

async function pressCallback(
  { world, chat, user }: Seat,
  message: StoredMessage,
  button: Button,
  timeoutMs: number,
): Promise<unknown> {
  const bot = message.sender;
  if (!(bot instanceof Bot)) throw new AdminError(409, "no_button", "the button is not a bot's");
  const id = `f9LHod${randomBytes(24).toString("base64url")}`;
  world.presses.set(id, { bot, chat, mid: message.mid });
  const callbacks = tellBot(world, bot, chat, "message_callback", {
    callback: {
      timestamp: world.clock.nowMs(),
      callback_id: id,
      payload: button["payload"],
      user: userShape(user),
    },
    message: shapeForCallback(world, message),
    user_locale: user.locale,
  });
  const page = await bot.answers.read({
    where: (answer) => answer.callback_id === id,
    ...(timeoutMs > 0 && { count: 1, timeoutMs }),
  });
  return { kind: "callback", callback_id: id, callbacks, answer: describeAnswer(page.items[0]) };
}

function describeAnswer(answer: Numbered<PressAnswer> | undefined): unknown {
  return answer ? { notification: answer.notification, message: answer.message } : null;
}

/** In live updates, callbacks of dialogs have no `chat_id` (chenhg5/cc-connect#1848). */
function shapeForCallback(world: World, message: StoredMessage): Readonly<Record<string, unknown>> {
  const shape = messageShape(message);
  if (message.chat.type !== "dialog" || world.settings.callbackChatIds) return shape;
  const recipient = isRecord(shape["recipient"]) ? shape["recipient"] : {};
  return { ...shape, recipient: { ...recipient, chat_id: null } };
}
