import type { Core } from "../core/core.ts";
import { type LetterToReplay, lettersToReplay, replayLetter } from "../core/inbound/dead-letter-replay.ts";
import { decodeEvent } from "../core/inbound/event-json.ts";
import type { TransportEvent } from "../core/transport/events.ts";
import { PollLoop } from "./poll-loop.ts";
import type { OwnedChannel } from "./session/held-channel.ts";

type OpenChannel = Pick<OwnedChannel, "channelId" | "link" | "session">;
interface OpenChannels {
  open(): readonly OpenChannel[];
}

const POLL_INTERVAL_MS = 2_000;
const BATCH = 20;

/** Replays the dead letters that an operator chose, for channels whose sessions are open on this node. */
export class DeadLetterReplayer {
  readonly #core: Core;
  readonly #sessions: OpenChannels;
  readonly #loop: PollLoop;

  constructor(options: { core: Core; sessions: OpenChannels }) {
    this.#core = options.core;
    this.#sessions = options.sessions;
    this.#loop = new PollLoop({
      signals: this.#core.signals,
      topic: "deadLetters",
      everyMs: POLL_INTERVAL_MS,
      isWatched: () => this.#core.signals.isWatched(),
      poll: () => this.#poll(),
      onError: (error) => this.#core.log.debug({ err: error }, "dead letters could not be polled"),
    });
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #poll(): Promise<boolean> {
    const open = new Map(this.#sessions.open().map((channel) => [channel.channelId, channel]));
    if (open.size === 0) return false;
    const letters = await lettersToReplay(this.#core.db, [...open.keys()], BATCH);
    for (const letter of letters) {
      const channel = open.get(letter.channelId);
      if (channel === undefined || this.#loop.isStopping) continue;
      await replayLetter(this.#core.db, letter, () => this.#attempt(channel, letter));
    }
    return letters.length === BATCH;
  }

  async #attempt({ link, session }: OpenChannel, { stage, payload }: LetterToReplay): Promise<void> {
    // `emit` validates it again and rejects a payload that is not an event.
    if (stage === "event") return link.emit(decodeEvent(payload) as TransportEvent);
    if (session.reprocess === undefined) throw new Error("The transport cannot process it again");
    await session.reprocess(JSON.parse(payload));
  }
}
