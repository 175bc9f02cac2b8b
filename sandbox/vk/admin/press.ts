import { randomBytes } from "node:crypto";
import { AdminError, type Fields, missing } from "../../http/fields.ts";
import type { AdminCall } from "../../http/route.ts";
import { orderingKeyOf, receive } from "../chat/conversation.ts";
import type { Community, Press } from "../community.ts";
import type { Button, Message } from "../shape.ts";
import { readGeo } from "./content.ts";
import type { Seat } from "./seat.ts";

interface Found {
  readonly button: Button;
  /** The message with the inline keyboard; undefined for the keyboard under the input field. */
  readonly message: Message | undefined;
}

/**
 * Presses a button, found by `label` or `payload`, on the keyboard under the input field or on the newest message
 * that has it. With `timeout_ms`, waits for the community's answer to a callback button.
 */
export async function press(seat: Seat, { body, signal }: AdminCall): Promise<unknown> {
  const found = findButton(seat, body);
  const { type, link } = found.button.action;
  if (type === "callback") return pressCallback(seat, found, body, signal);
  if (type === "open_link") return { kind: "url", url: link };
  if (type !== "text" && type !== "location") return { kind: type, action: found.button.action };
  const { community, dialog, user, world } = seat;
  const { label, payload } = found.button.action;
  const content = {
    ...(type === "text" ? { text: label ?? "" } : readGeo(body)),
    ...(payload !== undefined && { payload }),
  };
  if (!found.message && dialog.keyboard?.one_time) dialog.keyboard = undefined;
  return { kind: "text", ...receive(world, { community, dialog }, user.id, content) };
}

/** The community's answer to a press; undefined after the time limit. */
export async function waitForAnswer(
  community: Community,
  eventId: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Press["answer"]> {
  const where = (pressed: Press) => pressed.event_id === eventId;
  const page = await community.answers.read({ where, count: 1, timeoutMs, signal });
  return page.items[0]?.answer;
}

/** https://dev.vk.com/ru/api/community-events/json-schema#message_event */
async function pressCallback(seat: Seat, found: Found, body: Fields, signal: AbortSignal): Promise<unknown> {
  const { community, dialog, user, world } = seat;
  const eventId = randomBytes(6).toString("hex");
  const payload: unknown = JSON.parse(found.button.action.payload ?? "{}");
  const event = {
    user_id: user.id,
    peer_id: dialog.peerId,
    event_id: eventId,
    payload,
    ...(found.message && { conversation_message_id: found.message.conversation_message_id }),
  };
  const pressed = { event_id: eventId, user_id: user.id, peer_id: dialog.peerId, at_ms: world.clock.nowMs() };
  community.notePress(pressed);
  const events = world.emit(community, "message_event", event, orderingKeyOf(dialog));
  const timeoutMs = body.integer("timeout_ms");
  const answer =
    timeoutMs === undefined ? undefined : await waitForAnswer(community, eventId, timeoutMs, signal);
  return { kind: "callback", event_id: eventId, events, answer: answer ?? null };
}

function findButton({ dialog }: Seat, body: Fields): Found {
  const label = body.text("label");
  const payload = body.raw("payload");
  if (label === undefined && payload === undefined) {
    throw new AdminError(400, "invalid_field", "label or payload is needed");
  }
  const wanted = typeof payload === "string" ? payload : payload && JSON.stringify(payload);
  const matches = ({ action }: Button) =>
    (label === undefined || action.label === label) &&
    (wanted === undefined || normal(action.payload) === normal(String(wanted)));
  const cmid = body.integer("conversation_message_id");
  const onBoard = cmid === undefined ? dialog.keyboard?.buttons.flat().find(matches) : undefined;
  if (onBoard) return { button: onBoard, message: undefined };
  for (const message of dialog.newest()) {
    if (
      !message.keyboard?.inline ||
      (cmid ?? message.conversation_message_id) !== message.conversation_message_id
    )
      continue;
    const button = message.keyboard.buttons.flat().find(matches);
    if (button) return { button, message };
  }
  throw missing("button", label ?? String(wanted));
}

/** The same JSON in one spelling. */
function normal(json: string | undefined): string | undefined {
  try {
    return json === undefined ? undefined : JSON.stringify(JSON.parse(json));
  } catch {
    return json;
  }
}
