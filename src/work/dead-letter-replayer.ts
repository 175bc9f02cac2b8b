import type { Core } from "../core/core.ts";
import { type LetterToReplay, lettersToReplay, replayLetter } from "../core/dead-letter/replay.ts";
import { decodeEvent } from "../core/transport/event-json.ts";
import type { TransportEvent } from "../core/transport/events.ts";
import { PollLoop } from "./poll-loop.ts";
import { freeCapacity, type SlotUser } from "./session/capacity.ts";
import type { OwnedChannel } from "./session/held-channel.ts";

type OpenChannel = Pick<OwnedChannel, "accountId" | "transport" | "channelId" | "link" | "session">;
interface OpenChannels {
  open(): readonly OpenChannel[];
}

const POLL_INTERVAL_MS = 2_000;
/** Letters that are processed concurrently; a letter may have 4 MB. */
const SLOTS = 16;

/**
 * Replays the dead letters that an operator chose, for channels whose sessions are open on this node: one letter of a
 * channel at a time, in the order in which they were added. An account or transport that hangs delays no other.
 */
export class DeadLetterReplayer {
  readonly #core: Core;
  readonly #sessions: OpenChannels;
  readonly #running = new Map<string, SlotUser & { readonly done: Promise<void> }>();
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

  /** Resolves when the letters under way are done. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #poll(): Promise<boolean> {
    const hasSlot = this.#slots();
    const open = new Map(
      this.#sessions
        .open()
        .filter((channel) => !this.#running.has(channel.channelId) && hasSlot(channel))
        .map((channel) => [channel.channelId, channel]),
    );
    if (open.size === 0) return false;
    let isAny = false;
    for (const letter of await lettersToReplay(this.#core.db, [...open.keys()], SLOTS)) {
      const channel = open.get(letter.channelId);
      if (channel === undefined || !this.#slots()(channel)) continue;
      const { accountId, transport } = channel;
      const done = this.#replay(channel, letter);
      this.#running.set(letter.channelId, { accountId, transport: transport.definition.id, done });
      isAny = true;
    }
    return isAny;
  }

  /** Whether a letter of the channel may begin now. */
  #slots(): (channel: OpenChannel) => boolean {
    const free = freeCapacity(this.#running.values(), SLOTS);
    return ({ accountId, transport }) =>
      free.ofAccount(accountId) > 0 && free.ofTransport(transport.definition.id) > 0;
  }

  /** Never rejects. */
  async #replay(channel: OpenChannel, letter: LetterToReplay): Promise<void> {
    try {
      await replayLetter(this.#core.db, letter, () => this.#attempt(channel, letter));
      this.#running.delete(letter.channelId);
      this.#loop.now();
    } catch (error) {
      this.#running.delete(letter.channelId);
      this.#core.log.debug({ err: error }, "a dead letter could not be replayed; it is tried again");
    }
  }

  async #attempt({ link, session }: OpenChannel, { stage, payload }: LetterToReplay): Promise<void> {
    // `emit` validates it again and rejects a payload that is not an event.
    if (stage === "event") return link.emit(decodeEvent(payload) as TransportEvent);
    if (session.reprocess === undefined) throw new Error("The transport cannot process it again");
    await session.reprocess(JSON.parse(payload));
  }
}
