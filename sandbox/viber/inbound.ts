import { Refusal } from "../http/api-server.ts";
import { announce, userShape } from "./announce.ts";
import type { Bot, Conversation, StoredMessage } from "./bot.ts";
import { readWelcome } from "./method/send.ts";
import { deliver } from "./outgoing.ts";
import type { World } from "./world.ts";

/** A person's message in the API's format. */
export type Words = Readonly<Record<string, unknown>> & { readonly type: string };

/** A person writes. The first message subscribes, and only the message is reported. */
export function writeToBot(
  world: World,
  bot: Bot,
  conversation: Conversation,
  { words, silent = false }: { readonly words: Words; readonly silent?: boolean },
): { message: StoredMessage; told: boolean } {
  const { trackingData } = conversation;
  const content = { ...words, ...(trackingData !== "" && { tracking_data: trackingData }) };
  const timestamp = world.clock.nowMs();
  const message: StoredMessage = {
    token: world.nextToken(),
    direction: "in",
    timestamp,
    content,
    events: [],
  };
  conversation.put(message);
  conversation.subscribed = true;
  conversation.lastInboundMs = timestamp;
  conversation.unanswered = [];
  conversation.trackingData = "";
  world.changed();
  const more = { sender: userShape(world, conversation), message: content, silent };
  return {
    message,
    told: announce(world, bot, { type: "message", token: message.token, conversation, more }),
  };
}

/** A person opens the bot, possibly by a deep link. The bot's response may contain a welcome message. */
export function openConversation(
  world: World,
  bot: Bot,
  conversation: Conversation,
  context: string | undefined,
): boolean {
  const more = {
    type: "open",
    ...(context !== undefined && { context }),
    user: userShape(world, conversation),
    subscribed: conversation.subscribed,
  };
  return announce(world, bot, {
    type: "conversation_started",
    token: world.nextToken(),
    conversation,
    more,
    onSuccess: (answer) => welcome(world, bot, conversation, answer),
  });
}

/** The body of the response to `conversation_started`. Anything but a JSON object is no message. */
function welcome(world: World, bot: Bot, conversation: Conversation, answer: string): void {
  const body = parse(answer);
  if (body === undefined) return;
  const content = readOrRefuse(body);
  const isRefused = content instanceof Refusal;
  world.calls.append({
    bot_id: bot.id,
    method: "welcome",
    request: body,
    status: isRefused ? 3 : 0,
    ...(isRefused && { error: content.message }),
    ...(isRefused && content.unknown && { unknown: true }),
  });
  if (!isRefused) deliver(world, bot, conversation, { content, method: "welcome" });
}

function readOrRefuse(body: unknown): Readonly<Record<string, unknown>> | Refusal {
  try {
    return readWelcome(body);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value instanceof Object && "type" in value ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The person resubscribes with the button in the conversation's settings. */
export function subscribe(world: World, bot: Bot, conversation: Conversation): boolean {
  conversation.subscribed = true;
  world.changed();
  const more = { user: userShape(world, conversation) };
  return announce(world, bot, { type: "subscribed", token: world.nextToken(), conversation, more });
}

/** The person unsubscribes. */
export function unsubscribe(world: World, bot: Bot, conversation: Conversation): boolean {
  conversation.subscribed = false;
  world.changed();
  const more = { user_id: conversation.viberId };
  return announce(world, bot, { type: "unsubscribed", token: world.nextToken(), conversation, more });
}
