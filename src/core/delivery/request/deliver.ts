import type { Dispatcher } from "undici";
import type { Base } from "../../base.ts";
import { answerFault, isCreation } from "../../crm/creation-delivery.ts";
import type { Attempt } from "./attempts.ts";
import { type Batch, deliveryIdOf } from "./batch.ts";
import { type Answer, isSuccess } from "./policy.ts";
import { KEPT_BYTES, post, type Said, shownHeaders } from "./post.ts";
import { type Address, type Keys, type RequestContent, signedRequest, TEST_MARK } from "./request.ts";

/** How requests are sent. */
export interface Poster {
  readonly dispatcher: Dispatcher;
  readonly timeoutMs: number;
}

/** One request to a receiver and its outcome. */
export interface Posted {
  readonly batch: Batch;
  readonly answer: Answer;
  /** Null: it is not logged. */
  readonly attempt: Attempt | null;
  /** The receiver's response, as far as it was read. */
  readonly text: string | null;
}

/** Of the response with a contact or a deal; longer ones are cut off and therefore invalid. */
const MAX_ANSWER_BYTES = 256 * 1024;
/** Header of a delivery that is replayed on request. */
const REPLAY_MARK = { "webhook-replay": "true" };

/** Sends a batch once. Never throws because of the receiver. */
export async function sendBatch(
  core: Pick<Base, "clock"> & Keys,
  poster: Poster,
  { to, batch, purpose }: { to: Address; batch: Batch; purpose: "delivery" | "replay" },
): Promise<Posted & { readonly attempt: Attempt }> {
  const { events, body } = batch;
  const [event] = events;
  const readsAnswer = event !== undefined && isCreation(event.kind);
  const content = {
    deliveryId: deliveryIdOf(to.endpointId, events),
    at: core.clock.now(),
    body,
    ...(purpose === "replay" ? { marks: REPLAY_MARK } : {}),
  };
  const exchange = await send(core, poster, {
    to,
    content,
    answerBytes: readsAnswer ? MAX_ANSWER_BYTES : KEPT_BYTES,
  });
  const { text } = exchange.said;
  const fault = readsAnswer && isSuccess(exchange.answer) ? await answerFault(event, text) : null;
  const answer = fault === null ? exchange.answer : { ...exchange.answer, failure: fault };
  const attempt = {
    ...attemptOf(exchange, content),
    purpose,
    failure: answer.failure,
    eventIds: events.map(({ id }) => id),
    kinds: [...new Set(events.map(({ kind }) => kind))],
    channels: [...new Set(events.flatMap(({ channelId }) => channelId ?? []))],
  };
  return { batch, answer, attempt, text };
}

/** Sends a test body without events. */
export async function sendTest(
  core: Pick<Base, "clock"> & Keys,
  poster: Poster,
  {
    to,
    deliveryId,
    body,
    kinds,
  }: { to: Address; deliveryId: string; body: string; kinds: readonly string[] },
): Promise<{ answer: Answer; attempt: Attempt }> {
  const content = { deliveryId, at: core.clock.now(), body, marks: TEST_MARK };
  const exchange = await send(core, poster, { to, content, answerBytes: KEPT_BYTES });
  const attempt = { ...attemptOf(exchange, content), eventIds: [], channels: [], kinds };
  return { answer: exchange.answer, attempt: { ...attempt, purpose: "test" } };
}

interface Exchange {
  readonly answer: Answer;
  readonly said: Pick<Said, "text" | "headers">;
  readonly sent: Readonly<Record<string, string>>;
  readonly durationMs: number;
}

async function send(
  core: Pick<Base, "clock"> & Keys,
  poster: Poster,
  { to, content, answerBytes }: { to: Address; content: RequestContent; answerBytes: number },
): Promise<Exchange> {
  const request = signedRequest(core, to, content);
  const began = core.clock.monotonicMs();
  const { text, headers, ...answer } = await post({ ...request, answerBytes }, poster);
  const durationMs = core.clock.monotonicMs() - began;
  return { answer, said: { text, headers }, sent: shownHeaders(request.headers), durationMs };
}

function attemptOf({ answer, said, sent, durationMs }: Exchange, { deliveryId, at }: RequestContent) {
  const { status, failure } = answer;
  const kept = said.text?.slice(0, KEPT_BYTES) ?? null;
  return { deliveryId, at, durationMs, status, failure, answer: kept, sent, received: said.headers };
}
