import type { LoginAnswer } from "../../core/channel/link/login.ts";
import {
  answerRequest,
  takeRequest,
  type WaitingRequest,
  waitingRequests,
} from "../../core/channel/session-requests.ts";
import type { Core } from "../../core/core.ts";
import type { Session } from "../../core/transport/connector.ts";
import { LoginRefused } from "../../core/transport/errors.ts";
import type { LoginStep } from "../../core/transport/login.ts";
import type { Lease } from "../lease.ts";
import { PollLoop } from "../poll-loop.ts";
import type { GroupCalls } from "./group-calls.ts";
import type { OwnedChannel } from "./held-channel.ts";
import type { Sessions } from "./sessions.ts";

const POLL_INTERVAL_MS = 1_000;

export interface SessionRequestsOptions {
  readonly core: Core;
  readonly lease: () => Lease;
  readonly sessions: Sessions;
  readonly groups: GroupCalls;
}

/** Passes requests of clients (login steps, calls about groups) to the channels' sessions on this node. */
export class SessionRequests {
  readonly #options: SessionRequestsOptions;
  readonly #core: Core;
  readonly #running = new Map<string, Promise<void>>();
  readonly #loop: PollLoop;

  constructor(options: SessionRequestsOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#loop = new PollLoop({
      signals: this.#core.signals,
      topic: "sessionRequests",
      everyMs: POLL_INTERVAL_MS,
      isWatched: () => this.#core.signals.isWatched(),
      poll: () => this.#poll(),
      onError: (error) => this.#core.log.debug({ err: error }, "requests to sessions could not be polled"),
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
    const { sessions } = this.#options;
    const requests = await waitingRequests(
      this.#core,
      (request) => !this.#running.has(request.id) && this.#canTake(request),
    );
    for (const request of requests) {
      const owned = sessions.get(request.channelId);
      if (owned === undefined) continue;
      const running = this.#start(owned, request)?.finally(() => this.#running.delete(request.id));
      if (running !== undefined) this.#running.set(request.id, running);
    }
    return false;
  }

  /** False: the session cannot take the request now, and may be able to until the request is withdrawn. */
  #canTake({ channelId, kind }: Omit<WaitingRequest, "body">): boolean {
    const { sessions } = this.#options;
    return kind === "login"
      ? sessions.linking(channelId) !== undefined
      : sessions.get(channelId)?.canSend() === true;
  }

  /** Undefined: as by `#canTake`. */
  #start(owned: OwnedChannel, request: WaitingRequest): Promise<void> | undefined {
    switch (request.kind) {
      case "login": {
        const session = this.#options.sessions.linking(request.channelId);
        return session === undefined ? undefined : this.#takeStep(owned, session, request);
      }
      case "group":
        return owned.canSend() ? this.#options.groups.run(owned, request) : undefined;
    }
  }

  async #takeStep(owned: OwnedChannel, session: Session, request: WaitingRequest): Promise<void> {
    try {
      const { nodeId } = this.#options.lease();
      if (!(await takeRequest(this.#core.db, nodeId, owned, request))) return;
      const answer = await answerOf(session, request.body as LoginStep).catch((error: unknown) =>
        this.#refusalOf(request, error),
      );
      await answerRequest(this.#core, request, answer);
    } catch (error) {
      this.#core.log.debug({ err: error }, "the response to a login step could not be stored");
    }
  }

  #refusalOf({ channelId }: WaitingRequest, error: unknown): LoginAnswer {
    if (error instanceof LoginRefused)
      return { kind: "refused", reason: error.reason, description: error.message, fault: error.fault };
    this.#core.log.error({ err: error, channelId }, "a login step failed");
    return { kind: "refused", reason: "unavailable", description: "The messenger did not respond" };
  }
}

async function answerOf(session: Session, step: LoginStep): Promise<LoginAnswer> {
  const unasked = (): never => {
    throw new LoginRefused("not_expected", "This step is not part of the login");
  };
  return { kind: "done", ...(await (session.answer?.(step) ?? unasked())) };
}
