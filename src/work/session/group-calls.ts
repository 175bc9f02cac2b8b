import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import {
  announceAnswer,
  storeAnswer,
  takeRequest,
  type WaitingRequest,
} from "../../core/channel/session-requests.ts";
import { type ChatKey, resolveChat } from "../../core/chat/chats.ts";
import type { Core } from "../../core/core.ts";
import type {
  CreatedAnswer,
  DoneChange,
  GroupAnswer,
  GroupCall,
  GroupFailure,
  WantedChange,
} from "../../core/group/call.ts";
import { beginCreation, cancelCreation, finishCreation } from "../../core/group/creations.ts";
import { countStrangers } from "../../core/group/strangers.ts";
import { recordCooldown, recordPause } from "../../core/pacing/cooldown.ts";
import { returnGroupContacts, takeGroupContacts } from "../../core/pacing/group-contacts.ts";
import { allowanceAt, changedPacing } from "../../core/pacing/limits.ts";
import { retryUntilStored } from "../../core/retry.ts";
import { type ChatType, type GroupCapabilities, traitsOf } from "../../core/transport/definition.ts";
import { GroupRefused, TransportError } from "../../core/transport/errors.ts";
import type { GroupChange, GroupMethods, GroupPersonName } from "../../core/transport/groups.ts";
import { derivedId } from "../../platform/ids.ts";
import type { Lease } from "../lease.ts";
import { fetchPicture, PictureFault } from "./group-picture.ts";
import type { OwnedChannel } from "./held-channel.ts";

/** Of one request, with all its changes. */
const CALL_TIMEOUT_MS = 30_000;
const RETRY_AFTER_MS = 10_000;

export interface GroupCallsOptions {
  readonly core: Core;
  readonly lease: () => Lease;
  /** Whether limits apply; pauses and cooldowns of the messenger always do. */
  readonly pacing: boolean;
  /** HTTP dispatcher that guards requests to the addresses of pictures. */
  readonly dispatcher: Dispatcher;
  readonly temporaryDirectory: string;
  /** The channel has used this part of its first contacts. */
  onFirstContacts(channelId: string, ids: readonly string[]): void;
}

/** A call that was taken, with the first contacts that it has used. */
interface Taken {
  readonly owned: OwnedChannel;
  readonly request: WaitingRequest;
  readonly call: GroupCall;
  readonly groups: GroupMethods;
  readonly can: GroupCapabilities;
  readonly contacts: readonly string[];
}

/**
 * Makes the calls of clients about groups through this node's sessions: those of one channel one after the other, each
 * at most once. What it takes (the request, a creation, first contacts) is stored before the messenger is asked.
 */
export class GroupCalls {
  readonly #options: GroupCallsOptions;
  readonly #core: Core;
  /** The last call of each channel. */
  readonly #lines = new Map<string, Promise<void>>();
  #isStopping = false;

  constructor(options: GroupCallsOptions) {
    this.#options = options;
    this.#core = options.core;
  }

  /** Begins no more calls. Resolves when those under way have ended and are stored. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#lines.values());
  }

  /** Resolves when no call of the channel is under way. */
  async settle(channelId: string): Promise<void> {
    await this.#lines.get(channelId);
  }

  /** Makes the call after the earlier ones of the channel, and stores the answer. Never rejects. */
  run(owned: OwnedChannel, request: WaitingRequest): Promise<void> {
    const { channelId } = owned;
    const running = (this.#lines.get(channelId) ?? Promise.resolve()).then(() => this.#run(owned, request));
    this.#lines.set(channelId, running);
    return running.finally(() => {
      if (this.#lines.get(channelId) === running) this.#lines.delete(channelId);
    });
  }

  async #run(owned: OwnedChannel, request: WaitingRequest): Promise<void> {
    try {
      if (this.#isStopping || !owned.canSend()) return;
      const taken = await this.#take(owned, request);
      if (taken === null) return;
      const answer = "kind" in taken ? taken : await this.#call(taken);
      await this.#store(() => this.#finish(owned, request, "kind" in taken ? null : taken, answer));
      announceAnswer(this.#core, request);
    } catch (error) {
      // A creation that was begun stays begun: its outcome is unknown.
      this.#core.log.error({ err: error, channelId: owned.channelId }, "a call about a group failed");
    }
  }

  /** Null: nothing is to be done. An answer: the call is not made. */
  async #take(owned: OwnedChannel, request: WaitingRequest): Promise<Taken | GroupFailure | null> {
    const call = request.body as GroupCall;
    const { groups } = owned.session;
    const can = owned.transport.definition.capabilities.groups;
    if (groups === undefined || can === undefined) return refused("The session has no groups");
    const { nodeId } = this.#options.lease();
    const taken = await this.#core.db.tx(async (tx) => {
      if (!(await takeRequest(tx, nodeId, owned, request))) return null;
      if (call.kind === "create" && !(await beginCreation(tx, request))) return { kind: "unknown" } as const;
      const people = peopleAdded(call);
      const chatType = (traitsOf(can.chatType)?.personType ?? can.chatType) as ChatType;
      const strangers = await countStrangers(tx, owned, chatType, people);
      const count = strangers + (call.kind === "create" ? 1 : 0);
      const contacts = Array.from({ length: count }, (_, index) =>
        derivedId("group contact", request.id, String(index)),
      );
      const limited = this.#limitOf(owned, contacts.length > 0) ?? (await this.#allow(owned, tx, contacts));
      if (limited === null) return { owned, request, call, groups, can, contacts };
      if (call.kind === "create") await cancelCreation(tx, request);
      return limited;
    });
    if (taken === null || "kind" in taken) return taken;
    this.#options.onFirstContacts(owned.channelId, taken.contacts);
    return taken;
  }

  /** What the messenger or an operator has ordered. */
  #limitOf({ pacing }: OwnedChannel, reachesStrangers: boolean): GroupFailure | null {
    const now = this.#core.clock.monotonicMs();
    if (pacing.stopped) return { kind: "limited", reason: "stopped", retryAfterMs: null };
    if (pacing.pausedUntil > now)
      return { kind: "limited", reason: "paused", retryAfterMs: pacing.pausedUntil - now };
    if (reachesStrangers && pacing.cooldownUntil > now)
      return { kind: "limited", reason: "cooldown", retryAfterMs: pacing.cooldownUntil - now };
    return null;
  }

  async #allow(
    owned: OwnedChannel,
    tx: Parameters<typeof takeGroupContacts>[0],
    contacts: readonly string[],
  ): Promise<GroupFailure | null> {
    const { changes, activeSince } = owned.pacing;
    const pacing = changedPacing(owned.transport.definition.pacing, changes);
    const allowance = this.#options.pacing
      ? allowanceAt(pacing, this.#core.clock.monotonicMs() - activeSince)
      : null;
    const retryAfterMs = await takeGroupContacts(tx, owned, allowance, contacts);
    return retryAfterMs === 0 ? null : { kind: "limited", reason: "allowance", retryAfterMs };
  }

  async #call(taken: Taken): Promise<GroupAnswer> {
    const { owned, call } = taken;
    const done: DoneChange[] = [];
    try {
      await this.#pause(taken);
      // A node that was frozen meanwhile must not ask any more.
      if (!owned.canSend()) return FAILED;
      return await owned.limits.run(CALL_TIMEOUT_MS, (signal) => this.#ask(taken, done, signal));
    } catch (error) {
      const failure = await this.#failureOf(taken, error);
      return call.kind === "change" ? { ...failure, done } : failure;
    }
  }

  /** A random pause before what the people of a group see, for personal accounts. */
  async #pause({ owned, call }: Taken): Promise<void> {
    if (!this.#options.pacing || call.kind === "read") return;
    const { jitterMs } = changedPacing(owned.transport.definition.pacing, owned.pacing.changes);
    if (jitterMs > 0)
      await sleep(Math.random() * jitterMs, undefined, { signal: owned.link.signal }).catch(() => undefined);
  }

  async #ask(taken: Taken, done: DoneChange[], signal: AbortSignal): Promise<GroupAnswer> {
    const { call, groups } = taken;
    switch (call.kind) {
      case "create":
        return { kind: "created", ...(await groups.create(call.request, signal)) };
      case "read":
        return { kind: "read", group: await groups.read(call.chatId, signal) };
      case "change":
        for (const wanted of call.changes) {
          const people = await this.#change(taken, call.chatId, wanted, signal);
          done.push({ change: wanted.kind, people });
        }
        return { kind: "changed", done };
    }
  }

  async #change({ groups, can, owned }: Taken, chatId: string, wanted: WantedChange, signal: AbortSignal) {
    const change = (each: GroupChange) => groups.change(chatId, each, signal);
    if (wanted.kind !== "picture") return change(wanted);
    if (wanted.picture === null) return change({ kind: "picture", picture: null });
    const { dispatcher, temporaryDirectory } = this.#options;
    const picture = await fetchPicture(wanted.picture, {
      limits: can.picture,
      dispatcher,
      directory: temporaryDirectory,
      files: this.#core.files,
      signal,
    });
    try {
      if (!owned.canSend())
        throw new TransportError("UNKNOWN_ERROR", "The channel is not connected", { retry: "later" });
      return await change({ kind: "picture", picture: picture.file });
    } finally {
      await picture.discard();
    }
  }

  async #failureOf({ owned }: Taken, error: unknown): Promise<GroupFailure> {
    if (error instanceof GroupRefused)
      return { kind: "refused", reason: error.reason, description: error.message, data: error.data };
    if (error instanceof PictureFault)
      return { kind: "picture", description: error.message, isTemporary: error.isTemporary };
    if (!(error instanceof TransportError)) {
      this.#core.log.error(
        { err: error, channelId: owned.channelId },
        "a connector failed in a way it must not",
      );
      return { kind: "unknown" };
    }
    await this.#heed(owned, error).catch((reason: unknown) =>
      this.#core.log.warn({ err: reason, channelId: owned.channelId }, "a pause could not be stored"),
    );
    const { retry, message, data } = error;
    if (retry === "unknown") return { kind: "unknown" };
    if (retry === "never") return { kind: "refused", reason: "refused", description: message, data };
    return {
      kind: "failed",
      description: message,
      retryAfterMs: retry === "later" ? RETRY_AFTER_MS : retry.afterMs,
    };
  }

  /** What the failure means for other requests of the channel. */
  async #heed({ accountId, channelId }: OwnedChannel, { cooldown, retry }: TransportError): Promise<void> {
    const channel = { accountId, channelId };
    if (cooldown !== undefined) await recordCooldown(this.#core, channel, cooldown, { exactly: false });
    if (typeof retry === "object" && retry.scope === "channel")
      await recordPause(this.#core.db, channel, retry.afterMs);
  }

  async #finish(
    owned: OwnedChannel,
    request: WaitingRequest,
    taken: Taken | null,
    answer: GroupAnswer,
  ): Promise<void> {
    const chat = taken !== null && answer.kind === "created" ? await this.#chatOf(taken, answer) : null;
    await this.#core.db.tx(async (tx) => {
      if (chat !== null && answer.kind === "created") await finishCreation(tx, request, chat, answer);
      const hadNoEffect = answer.kind === "failed" || answer.kind === "refused";
      if (taken?.call.kind === "create" && hadNoEffect) await cancelCreation(tx, request);
      if (taken !== null && answer.kind === "failed" && !(answer.done?.length ?? 0))
        await returnGroupContacts(tx, owned, taken.contacts);
      await storeAnswer(tx, this.#core.seal, request, answer);
    });
  }

  #chatOf({ owned, can }: Taken, { group }: CreatedAnswer): Promise<ChatKey> {
    const { accountId, channelId } = owned;
    return resolveChat(this.#core, { accountId, channelId, chatType: can.chatType, chatId: group.chatId });
  }

  #store(run: () => Promise<void>): Promise<void> {
    return retryUntilStored(run, () => !this.#options.lease().isValid());
  }
}

const FAILED: GroupFailure = {
  kind: "failed",
  description: "The channel is not connected",
  retryAfterMs: RETRY_AFTER_MS,
};

function refused(description: string): GroupFailure {
  return { kind: "refused", reason: "refused", description };
}

/** Whom the call adds to a group. */
function peopleAdded(call: GroupCall): readonly GroupPersonName[] {
  if (call.kind === "create") return call.request.people;
  if (call.kind === "read") return [];
  return call.changes.flatMap((change) => (change.kind === "add" ? change.people : []));
}
