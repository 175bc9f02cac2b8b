import {
  answerRequest,
  type LoginAnswer,
  type WaitingRequest,
  waitingRequests,
} from "../../core/channel/link/login-requests.ts";
import type { Core } from "../../core/core.ts";
import type { Session } from "../../core/transport/connector.ts";
import { LoginRefused } from "../../core/transport/errors.ts";
import { PollLoop } from "../poll-loop.ts";
import type { Sessions } from "./sessions.ts";

const POLL_INTERVAL_MS = 1_000;

/** Passes login steps of a person to the channel's session on this node. */
export class LoginSteps {
  readonly #core: Core;
  readonly #sessions: Sessions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #loop: PollLoop;

  constructor(options: { core: Core; sessions: Sessions }) {
    this.#core = options.core;
    this.#sessions = options.sessions;
    this.#loop = new PollLoop({
      signals: this.#core.signals,
      topic: "logins",
      everyMs: POLL_INTERVAL_MS,
      isWatched: () => this.#core.signals.isWatched(),
      poll: () => this.#poll(),
      onError: (error) => this.#core.log.debug({ err: error }, "login steps could not be polled"),
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.allSettled(this.#running.values());
  }

  async #poll(): Promise<boolean> {
    const linking = new Map(this.#sessions.linking().map(({ channelId, session }) => [channelId, session]));
    if (linking.size === 0) return false;
    for (const request of await waitingRequests(this.#core, [...linking.keys()])) {
      const session = linking.get(request.channelId);
      if (session === undefined || this.#running.has(request.id)) continue;
      const running = this.#take(session, request).finally(() => this.#running.delete(request.id));
      this.#running.set(request.id, running);
    }
    return false;
  }

  async #take(session: Session, request: WaitingRequest): Promise<void> {
    const answer = await answerOf(session, request).catch((error: unknown): LoginAnswer => {
      if (error instanceof LoginRefused)
        return { kind: "refused", reason: error.reason, description: error.message, fault: error.fault };
      this.#core.log.error({ err: error, channelId: request.channelId }, "a login step failed");
      return { kind: "refused", reason: "unavailable", description: "The messenger did not respond" };
    });
    await answerRequest(this.#core, request, answer).catch((error: unknown) =>
      this.#core.log.debug({ err: error }, "the response to a login step could not be stored"),
    );
  }
}

async function answerOf(session: Session, { step }: WaitingRequest): Promise<LoginAnswer> {
  const unasked = (): never => {
    throw new LoginRefused("not_expected", "This step is not part of the login");
  };
  return { kind: "done", ...(await (session.answer?.(step) ?? unasked())) };
}
