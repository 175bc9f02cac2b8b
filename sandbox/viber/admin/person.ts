import { AdminError, type Fields, invalid, isRecord, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { announceReceipt } from "../announce.ts";
import type { Bot, Conversation, StoredMessage } from "../bot.ts";
import { openConversation, subscribe, unsubscribe, writeToBot } from "../inbound.ts";
import { type Button, readButtons } from "../keyboard.ts";
import { arriveOnDevices } from "../outgoing.ts";
import type { World } from "../world.ts";
import { readWords } from "./content.ts";

/** A person in the conversation with a bot. */
export interface Seat {
  readonly world: World;
  readonly bot: Bot;
  readonly conversation: Conversation;
}

type SeatHandler = (seat: Seat, body: Fields) => unknown;

const actions: Readonly<Record<string, SeatHandler>> = {
  opens: ({ world, bot, conversation }, body) =>
    answered(conversation, openConversation(world, bot, conversation, body.text("context"))),
  scans: scan,
  subscriptions: ({ world, bot, conversation }) =>
    answered(conversation, subscribe(world, bot, conversation)),
  unsubscriptions: ({ world, bot, conversation }) =>
    answered(conversation, unsubscribe(world, bot, conversation)),
  messages: write,
  presses: press,
  deliveries: (seat, body) => {
    const message = messageOf(seat, body);
    const callbacks = arriveOnDevices(seat.world, seat.bot, seat.conversation, message);
    return { message_token: message.token, callbacks };
  },
  reads: (seat, body) => receipt(seat, messageOf(seat, body), { type: "seen" }),
  failures: (seat, body) => {
    const desc = body.text("desc") ?? "Media size is too large";
    return receipt(seat, messageOf(seat, body), { type: "failed", desc });
  },
};

/** The actions of people, below `/bots/{bot_id}/users/{user_id}`. */
export function personRoutes(world: World): AdminRoute[] {
  const base = "/bots/{bot_id}/users/{user_id}";
  return [
    ...Object.entries(actions).map(([name, handler]): AdminRoute => {
      return ["POST", `${base}/${name}`, (call) => handler(seatOf(world, call), call.body)];
    }),
    ["GET", `${base}/messages`, (call) => listMessages(seatOf(world, call))],
  ];
}

/** `{url}`: the content of a QR code, `viber://pa?chatURI=…&context=…`. Opens the bot that it names. */
function scan({ world, conversation }: Seat, body: Fields): unknown {
  const link = new URL(body.needText("url"));
  if (link.protocol !== "viber:" || link.hostname !== "pa") throw invalid("url", "viber://pa?chatURI=…");
  const uri = link.searchParams.get("chatURI") ?? "";
  const bot = [...world.bots.values()].find((candidate) => candidate.uri === uri);
  if (!bot) throw missing("bot with the address", uri);
  const there = world.conversation(bot, conversation.user);
  const context = link.searchParams.get("context") ?? undefined;
  return { bot_id: bot.id, ...answered(there, openConversation(world, bot, there, context)) };
}

/** A message of any kind. `silent`: sent by a button, not written by the person. */
export async function write({ world, bot, conversation }: Seat, body: Fields): Promise<unknown> {
  const words = await readWords(world, body);
  const { message, told } = writeToBot(world, bot, conversation, {
    words,
    silent: body.flag("silent") ?? false,
  });
  return { message: shapeOf(message), ...answered(conversation, told) };
}

function receipt(
  { world, bot, conversation }: Seat,
  message: StoredMessage,
  what: { readonly type: "seen" | "failed"; readonly desc?: string },
): unknown {
  const told = announceReceipt(world, bot, conversation, { message, ...what });
  return { message_token: message.token, callbacks: told ? 1 : 0 };
}

/** `{message_token?}`: by default the bot's newest. `seen` includes all earlier messages, as on the platform. */
function messageOf({ conversation }: Seat, body: Fields): StoredMessage {
  const token = body.text("message_token");
  if (token !== undefined) return conversation.get(token) ?? fail(missing("message", token));
  const newest = conversation.newest().find(({ direction }) => direction === "out");
  return newest ?? fail(new AdminError(409, "no_message", "there is no message of the bot yet"));
}

/** `{text?, action_body?}`: presses the newest matching button. */
async function press(seat: Seat, body: Fields): Promise<unknown> {
  const { world, bot, conversation } = seat;
  const button = findButton(seat, body);
  const say = (words: Parameters<typeof writeToBot>[3]["words"]) =>
    writeToBot(world, bot, conversation, { words, silent: false });
  switch (button.action) {
    case "reply": {
      const { message, told } = say({ type: "text", text: button.body });
      return { kind: "reply", message: shapeOf(message), ...answered(conversation, told) };
    }
    case "share-phone": {
      const { user } = conversation;
      const { told } = say({ type: "contact", contact: { name: user.name, phone_number: user.phone } });
      return { kind: "contact", ...answered(conversation, told) };
    }
    case "location-picker": {
      const { told } = say({ type: "location", location: { lat: 50.76, lon: 6.1 } });
      return { kind: "location", ...answered(conversation, told) };
    }
    case "open-url":
      return { kind: "url", url: button.body };
    default:
      return { kind: "none" };
  }
}

function findButton({ conversation }: Seat, body: Fields): Button {
  const [text, action] = [body.text("text"), body.text("action_body")];
  for (const { content, direction } of conversation.newest()) {
    if (direction !== "out") continue;
    const found = buttonsOf(content).find(
      (button) => (text ?? button.text) === button.text && (action ?? button.body) === button.body,
    );
    if (found) return found;
  }
  throw new AdminError(409, "no_button", "no message has such a button");
}

const newestApiVersion = 10;

function buttonsOf({ keyboard, rich_media: cards }: StoredMessage["content"]): readonly Button[] {
  return [
    ...(isRecord(keyboard) ? readButtons(keyboard, "keyboard", newestApiVersion) : []),
    ...(isRecord(cards) ? readButtons(cards, "rich_media", newestApiVersion) : []),
  ];
}

function listMessages({ conversation }: Seat): unknown {
  const { viberId, subscribed } = conversation;
  const items = conversation.newest().reverse();
  return { viber_id: viberId, subscribed, items: items.map(withButtons) };
}

function withButtons(message: StoredMessage): object {
  const buttons = message.direction === "out" ? buttonsOf(message.content) : [];
  return { ...shapeOf(message), buttons };
}

/** 64-bit numbers as text, so that no reader loses digits. */
function shapeOf({ token, direction, timestamp, content, events }: StoredMessage): object {
  return { message_token: token, direction, timestamp, ...content, events };
}

function answered({ viberId, subscribed }: Conversation, told: boolean) {
  return { viber_id: viberId, subscribed, callbacks: told ? 1 : 0 };
}

function seatOf(world: World, { params }: AdminCall): Seat {
  const bot = world.bot(params.needText("bot_id"));
  return { world, bot, conversation: world.conversation(bot, world.user(params.needText("user_id"))) };
}

function fail(error: Error): never {
  throw error;
}
