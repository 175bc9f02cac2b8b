import type { Refusal } from "../../http/api-server.ts";
import { rawNumber } from "../../http/raw-number.ts";
import { StrictFields } from "../../http/strict-fields.ts";
import type { Bot, Conversation } from "../bot.ts";
import { type ApiCall, bodyOf } from "../call.ts";
import { messageFields, readContent } from "../message.ts";
import { deliver } from "../outgoing.ts";
import { fieldErrors, refused, statusNames } from "../status.ts";
import type { World } from "../world.ts";

const maxBodyBytes = 30 * 1024;
const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const maxUnanswered = 100;
const maxReceivers = 300;

/** https://creators.viber.com/docs/bots-api/resources/messaging/send-message */
export function sendMessage(call: ApiCall): unknown {
  const { world, bot } = call;
  const token = rawNumber(world.nextToken());
  const fields = readFields(call, ["receiver"]);
  const receiver = fields.needText("receiver");
  const content = readMessage(fields);
  checkRate(world, bot);
  const conversation = findReceiver(world, bot, receiver, fields);
  if (typeof conversation === "number") throw refused(conversation, statusText(conversation), { token });
  const billing = billingStatus(world, conversation);
  const message = deliver(world, bot, conversation, { content, method: "send_message" });
  return { message_token: rawNumber(message.token), billing_status: billing };
}

/** https://creators.viber.com/docs/bots-api/resources/messaging/broadcast-message */
export function broadcastMessage(call: ApiCall): unknown {
  const { world, bot } = call;
  const fields = readFields(call, ["broadcast_list"]);
  const list = fields.list("broadcast_list");
  if (!list || list.length === 0) throw fields.missing("broadcast_list");
  if (list.length > maxReceivers) throw refused(3, `broadcast_list has over ${maxReceivers} receivers`);
  const content = readMessage(fields);
  const { limits } = world;
  if (
    limits &&
    !world.limiter.take(`broadcast ${bot.id}`, limits.broadcastsPerSecond * 10, limits.broadcastsPerSecond)
  )
    throw refused(12, "too many broadcasts");
  const failed: unknown[] = [];
  for (const receiver of list) {
    const conversation = findReceiver(world, bot, String(receiver), fields);
    if (typeof conversation === "number")
      failed.push({ receiver, status: conversation, status_message: statusText(conversation) });
    else deliver(world, bot, conversation, { content, method: "broadcast_message" });
  }
  return { message_token: rawNumber(world.nextToken()), failed_list: failed };
}

/** Refuses messages that are too large, and unknown fields of the message's type. */
function readFields(call: ApiCall, own: readonly string[]): StrictFields {
  if (!call.bot.webhook) throw refused(10, "no webhook is set");
  const size = Buffer.byteLength(JSON.stringify(call.body));
  if (size > maxBodyBytes) throw refused(3, `the message has ${size} bytes, over ${maxBodyBytes}`);
  const type = call.body["type"] ?? undefined;
  const known = messageFields(type === undefined ? undefined : String(type));
  if (!known) throw refused(3, `unknown type ${String(type)}`);
  return bodyOf(call, [...known, ...own]);
}

/** The content after the sender, whose name is required in every message. */
function readMessage(fields: StrictFields): Readonly<Record<string, unknown>> {
  const sender = fields.needObject("sender", ["name", "avatar"]);
  if (sender.needText("name").length > 28) throw refused(3, "sender.name is over 28 characters");
  sender.text("avatar");
  return readContent(fields);
}

/** Parses the message in the response to `conversation_started`: it needs neither receiver nor sender. */
export function readWelcome(body: unknown): Readonly<Record<string, unknown>> | Refusal {
  const type = body instanceof Object && "type" in body ? body.type : undefined;
  const known = messageFields(type === undefined ? undefined : String(type));
  if (!known) return refused(3, `unknown type ${String(type)}`);
  return readContent(new StrictFields(body, known, fieldErrors));
}

function checkRate(world: World, bot: Bot): void {
  const { limits } = world;
  if (limits && !world.limiter.take(`bot ${bot.id}`, limits.messagesPerSecond, limits.messagesPerSecond))
    throw refused(12, "too many requests");
}

/** The conversation for a message, or the status of the refusal. */
function findReceiver(world: World, bot: Bot, receiver: string, fields: StrictFields): Conversation | number {
  if (!/^[A-Za-z0-9+/]{10,}={0,2}$/.test(receiver) || receiver.length % 4 !== 0) return 999;
  const conversation = bot.byViberId(receiver);
  if (!conversation) return 5;
  if (!conversation.subscribed) return 6;
  if ((fields.integer("min_api_version") ?? 1) > conversation.user.apiVersion) return 11;
  const nowMs = world.clock.nowMs();
  conversation.unanswered = conversation.unanswered.filter((atMs) => atMs > nowMs - hourMs);
  if (conversation.unanswered.length >= maxUnanswered) return 12;
  conversation.unanswered.push(nowMs);
  return conversation;
}

/** 1: within a session of 24 hours; 3: outside, while messages are free. */
function billingStatus(world: World, { lastInboundMs }: Conversation): number {
  return world.clock.nowMs() - lastInboundMs < dayMs ? 1 : 3;
}

function statusText(status: number): string {
  return Object.entries(statusNames).find(([key]) => Number(key) === status)?.[1] ?? "";
}
