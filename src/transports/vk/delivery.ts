import type { TransportEvent } from "../../core/transport/events.ts";
import { emitAll } from "../kit/emit-all.ts";
import { describe } from "../kit/failures.ts";
import { inSlices } from "../kit/in-slices.ts";
import type { Community } from "./community.ts";
import { completed } from "./cropped.ts";
import { toEvents } from "./inbound.ts";
import { findNames, type Names } from "./people.ts";
import { unknownIn } from "./unknown.ts";
import { readEvent, type VkEvent } from "./update.ts";

type Receiver = Pick<Community, "link" | "client" | "signal">;
type ReadEvent = { readonly event: VkEvent } | { readonly reason: string };

/**
 * Emits VK's events in order; an event that cannot be parsed becomes a dead letter. Resolves when all are stored;
 * rejects if one is not.
 */
export async function deliver(raws: readonly unknown[], receiver: Receiver): Promise<void> {
  const read = await completeAll(
    raws.map((raw) => tryRead(raw, receiver)),
    receiver,
  );
  const names = await findNames(
    read.flatMap((each) => ("event" in each ? [each.event] : [])),
    receiver,
  );
  await inSlices(read, (each, index) => deliverOne(each, { raw: raws[index], names }, receiver));
}

function tryRead(raw: unknown, { client }: Receiver): ReadEvent {
  try {
    return { event: readEvent(raw) };
  } catch (error) {
    return { reason: describe(error, client) };
  }
}

/** With the whole messages in place of cropped ones. */
async function completeAll(read: readonly ReadEvent[], receiver: Receiver): Promise<readonly ReadEvent[]> {
  const messages = await completed(
    read.map((each) => ("event" in each ? each.event.message : {})),
    receiver,
  );
  return read.map((each, index) =>
    "event" in each ? { event: { ...each.event, message: messages[index] ?? {} } } : each,
  );
}

/** Calls `emit` before its first await, so that the calls keep the order of the events. */
async function deliverOne(
  read: ReadEvent,
  { raw, names }: { readonly raw: unknown; readonly names: Names },
  receiver: Receiver,
): Promise<void> {
  const events = "event" in read ? eventsOf(read.event, names, receiver) : read.reason;
  if (typeof events === "string") return receiver.link.deadLetter(withoutSecret(raw), events);
  await emitAll(receiver.link, events, withoutSecret(raw));
  if (!("event" in read)) return;
  for (const kind of unknownIn(read.event, raw)) await receiver.link.reportUnknown(kind, withoutSecret(raw));
  const { type } = read.event;
  if (type === "message_event") void answerPress(read.event, receiver);
}

/** The mapped events, or the reason why the event cannot be mapped. */
function eventsOf(event: VkEvent, names: Names, { client }: Receiver): readonly TransportEvent[] | string {
  try {
    return toEvents(event, { ...names, now: new Date() });
  } catch (error) {
    return describe(error, client);
  }
}

/** Removes the webhook secret, which VK sends in the body. */
function withoutSecret(raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw;
  const { secret: _secret, ...rest } = raw as Readonly<Record<string, unknown>>;
  return rest;
}

/**
 * Ends the progress indicator on the button (dev.vk.com, `messages.sendMessageEventAnswer`). Runs in the background.
 */
async function answerPress({ object }: VkEvent, { client, link, signal }: Receiver): Promise<void> {
  const { event_id, user_id, peer_id } = object;
  try {
    await client.call("messages.sendMessageEventAnswer", { event_id, user_id, peer_id }, signal);
  } catch (error) {
    link.log("debug", "VK: a button press could not be answered", { detail: describe(error, client) });
  }
}
