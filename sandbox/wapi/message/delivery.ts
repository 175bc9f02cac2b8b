import { type Failure, type OutMessage, tellStatus } from "../chat/status.ts";
import { bareType, mediaKinds } from "../media/media-type.ts";
import type { World } from "../world.ts";
import type { MediaUse } from "./media-use.ts";

/** Meta's timeout for a link. */
const linkTimeoutMs = 10_000;

/** The data for delivering an accepted message. */
export interface Outgoing extends OutMessage {
  readonly media: readonly MediaUse[];
  /** Free-form messages need an open window. */
  readonly isTemplate: boolean;
  /** A pending fault. */
  readonly failure: Failure | undefined;
}

/** After the response: downloads files, and sends the statuses. */
export async function deliver(world: World, out: Outgoing): Promise<void> {
  const failure = out.failure ?? (await fetchFailure(out.media)) ?? refusal(world, out);
  if (failure) tellStatus(world, out, "failed", failure);
  else arrive(world, out);
}

/** Stores the message for the person and sends the automatic statuses. */
function arrive(world: World, out: Outgoing): void {
  const { number, person, message } = out;
  if (!person) return;
  const conversation = number.conversationWith(person);
  conversation.messages.put(message);
  if (!conversation.isOpen(world.clock.nowMs())) conversation.lastInitiatedMs = world.clock.nowMs();
  const order = ["sent", "delivered", "read"] as const;
  const until = order.indexOf(world.settings.autoStatuses as (typeof order)[number]);
  // A person who has blocked the business gets nothing; the message stays `sent`.
  const last = conversation.blocked ? Math.min(until, 0) : until;
  for (const status of order.slice(0, last + 1)) tellStatus(world, out, status);
}

/** Why the person does not get it. */
function refusal(world: World, { number, person, isTemplate }: Outgoing): Failure | undefined {
  if (!person) return { code: 131026 };
  const nowMs = world.clock.nowMs();
  const conversation = number.conversations.get(person.id);
  // Which code is sent for a person blocked by the business is not documented; "undeliverable" fits its description.
  if (conversation?.blockedByBusiness) return { code: 131026 };
  if (conversation?.isOpen(nowMs)) return undefined;
  if (!isTemplate) return { code: 131047 };
  return undefined;
}

async function fetchFailure(media: readonly MediaUse[]): Promise<Failure | undefined> {
  for (const use of media) {
    const failure = "link" in use.source ? await fetchLink(use, use.source.link) : undefined;
    if (failure) return failure;
  }
  return undefined;
}

/** Meta downloads the link itself; an unusable file causes 131053. */
async function fetchLink({ kind }: MediaUse, link: string): Promise<Failure | undefined> {
  const response = await fetch(link, { signal: AbortSignal.timeout(linkTimeoutMs) }).catch(() => undefined);
  if (!response) return failed(`Downloading media from weblink failed: could not connect.`);
  if (!response.ok) {
    await response.body?.cancel();
    const status = `${response.status}, status message ${response.statusText}`;
    return failed(`Downloading media from weblink failed with http code ${status}`);
  }
  const type = bareType(response.headers.get("content-type") ?? "application/octet-stream");
  const { types, maxBytes } = mediaKinds[kind];
  if (!types.test(type)) {
    await response.body?.cancel();
    return failed(`Unsupported ${kind} mime type ${type}. Please use one of the supported types.`);
  }
  const size = await measure(response, maxBytes);
  return size <= maxBytes
    ? undefined
    : failed(`Media file size too big. Max file size we currently support: ${maxBytes} bytes.`);
}

function failed(details: string): Failure {
  return { code: 131053, details };
}

/** Reads until the limit is exceeded. */
async function measure(response: Response, limit: number): Promise<number> {
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) break;
  }
  return size;
}
