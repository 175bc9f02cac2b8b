import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../../platform/clock.ts";
import { messageOf } from "../../../platform/message-of.ts";
import { reportExit, type Target } from "../../../platform/network/proxy/exit-health.ts";
import { backOffMs } from "../../../platform/queue/back-off.ts";
import { PeerClosed } from "../../../platform/workers/peer.ts";
import type { Eviction, Slot, WorkerPool } from "../../../platform/workers/pool.ts";
import type {
  ChannelLink,
  FoundPerson,
  MessageChange,
  OpenedFile,
  OutboundFile,
  OutboundMessage,
  SentMessage,
  Session,
  VaultEntry,
} from "../connector.ts";
import { aboutMessage, currentMessage } from "../current-message.ts";
import type { TransportDefinition } from "../definition.ts";
import { TransportError } from "../errors.ts";
import type { TransportEvent } from "../events.ts";
import type { CreatedGroup, Group, GroupMethods, PersonOutcome } from "../groups.ts";
import type { LoginReply, LoginStep } from "../login.ts";
import type {
  Opening,
  RemoteChange,
  RemoteFile,
  RemoteGroupChange,
  RemoteMessage,
  RemoteOpenedFile,
  SessionCall,
} from "./protocol.ts";

const CLOSE_LIMIT_MS = 4_500;
/** How long pending calls may take before their session moves to another process. */
const MOVE_TIMEOUT_MS = 10_000;
/** A session that has run this long in its process is not considered the cause of its failure. */
const HEALTHY_MS = 10 * 60_000;
const PAUSES = { firstMs: 250, longestMs: 60_000 };
const FAILURES = {
  died: "the process of this session ended; it is opened in another one",
  unstarted: "no process could be started for this session; another attempt follows",
};

/** Why a session left its process. */
interface End {
  readonly why: Eviction | "closed";
  readonly last: string;
}

/** Opens a session in a worker, and reopens it in another one when that ends. Resolves immediately. */
export function openRemoteSession(
  { capabilities, pacing }: TransportDefinition,
  pool: WorkerPool,
  link: ChannelLink,
): Session {
  const remote = new RemoteSession(pool, link);
  const has = <T>(condition: boolean, methods: T): T | object => (condition ? methods : {});
  return {
    send: (message, signal) => remote.send(message, signal),
    close: () => remote.close(),
    logout: () => remote.call({ method: "logout" }, link.signal),
    reprocess: (payload) => remote.call({ method: "reprocess", payload }, link.signal),
    ...has(capabilities.edit !== null, { edit: remote.edit }),
    ...has(capabilities.remove !== null, { remove: remote.remove }),
    ...has(capabilities.reactions?.send === true, { react: remote.react }),
    ...has(capabilities.marks !== undefined, { mark: remote.mark }),
    ...has(capabilities.groups !== undefined, { groups: remote.groups }),
    ...has(pacing.phoneChecks !== undefined, { findPerson: remote.findPerson }),
    ...has(capabilities.inboundFiles, { openFile: remote.openFile }),
    ...has(capabilities.login.length > 0, {
      answer: (step: LoginStep) => remote.call<LoginReply>({ method: "answer", step }),
    }),
  };
}

class RemoteSession {
  readonly #pool: WorkerPool;
  readonly #link: ChannelLink;
  /** Distinguishes it from another session of the same channel that is still closing. */
  readonly #tenant = randomUUID();
  readonly #files = new Map<string, OutboundFile>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  /** Null while the session moves from one process to another. */
  #slot: Slot | null = null;
  #closed: Promise<void> | undefined;

  constructor(pool: WorkerPool, link: ChannelLink) {
    this.#pool = pool;
    this.#link = link;
    link.signal.addEventListener("abort", () => this.#closing.abort(), { once: true });
    if (link.signal.aborted) this.#closing.abort();
    this.#running = this.#run();
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const { content, ...rest } = message;
    if (content.type !== "file")
      return this.call({ method: "send", at: monotonicMs(), message: { ...rest, content } }, signal);
    return this.#withFile(content.file, (file) => {
      const remote: RemoteMessage = { ...rest, content: { ...content, file } };
      return this.call({ method: "send", at: monotonicMs(), message: remote }, signal);
    });
  }

  readonly edit: NonNullable<Session["edit"]> = async (ref, change: MessageChange, signal) => {
    const edit = (changed: RemoteChange): Promise<void> =>
      this.call({ method: "edit", at: monotonicMs(), ref, change: changed }, signal);
    await ("text" in change ? edit(change) : this.#withFile(change.file, (file) => edit({ file })));
  };

  readonly remove: NonNullable<Session["remove"]> = (ref, signal) =>
    this.call({ method: "remove", at: monotonicMs(), ref }, signal);

  readonly react: NonNullable<Session["react"]> = (target, emoji, signal) =>
    this.call({ method: "react", at: monotonicMs(), target, emoji }, signal);

  readonly mark: NonNullable<Session["mark"]> = (chat, mark, signal) =>
    this.call({ method: "mark", at: monotonicMs(), chat, mark }, signal);

  readonly findPerson: NonNullable<Session["findPerson"]> = (phone, signal) =>
    this.call<FoundPerson | null>({ method: "findPerson", at: monotonicMs(), phone }, signal);

  readonly groups: GroupMethods = {
    create: (request, signal) =>
      this.call<CreatedGroup>({ method: "createGroup", at: monotonicMs(), request }, signal),
    read: (chatId, signal) => this.call<Group>({ method: "readGroup", at: monotonicMs(), chatId }, signal),
    change: async (chatId, change, signal) => {
      const ask = (changed: RemoteGroupChange): Promise<readonly PersonOutcome[]> =>
        this.call({ method: "changeGroup", at: monotonicMs(), chatId, change: changed }, signal);
      if (change.kind !== "picture") return ask(change);
      const { picture } = change;
      if (picture === null) return ask({ kind: "picture", picture });
      return this.#withFile(picture, (file) => ask({ kind: "picture", picture: file }));
    },
  };

  readonly openFile: NonNullable<Session["openFile"]> = async (file, signal, resume): Promise<OpenedFile> => {
    // The session may have moved to another process when the call ends.
    const { peer } = this.#openSlot();
    const { stream, ...about } = await this.call<RemoteOpenedFile>(
      { method: "openFile", file, ...(resume === undefined ? {} : { resume }) },
      signal,
    );
    const readable = peer.borrow(stream);
    readable.on("error", () => undefined);
    return { ...about, stream: readable };
  };

  /** Calls the session in its process. If the process ends in the meantime, the outcome is unknown. */
  async call<T>(call: SessionCall, signal?: AbortSignal): Promise<T> {
    const slot = this.#openSlot();
    // A node that was suspended must not send what it had prepared before.
    if ("at" in call && !this.#link.mayAct()) throw notOpen();
    const asked = slot.peer.call<T>(
      "call",
      { tenant: this.#tenant, call, messageId: currentMessage() },
      signal,
    );
    this.#pending.add(asked);
    try {
      return await asked;
    } catch (error) {
      throw toFailure(error);
    } finally {
      this.#pending.delete(asked);
    }
  }

  close(): Promise<void> {
    this.#closing.abort();
    this.#closed ??= Promise.race([this.#running, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
    return this.#closed;
  }

  #openSlot(): Slot {
    if (this.#slot === null) throw notOpen();
    return this.#slot;
  }

  async #withFile<T>(file: OutboundFile, work: (file: RemoteFile) => Promise<T>): Promise<T> {
    const { open: _, offer: _offer, ...about } = file;
    const handle = randomUUID();
    this.#files.set(handle, file);
    try {
      return await work({ ...about, handle });
    } finally {
      this.#files.delete(handle);
    }
  }

  /** Runs in one process after the other until it is closed. Never rejects. */
  async #run(): Promise<void> {
    const { signal } = this.#closing;
    // A process that cannot be started is not the session's fault: the session needs no smaller process.
    for (let [failures, deaths] = [0, 0]; !signal.aborted; ) {
      const since = performance.now();
      const { why, last } = await this.#runInNext(Math.min(deaths, 8));
      if (signal.aborted || why === "recycled" || why === "closed") continue;
      const wasHealthy = performance.now() - since > HEALTHY_MS;
      failures = wasHealthy ? 1 : failures + 1;
      if (why === "died") deaths = wasHealthy ? 1 : deaths + 1;
      this.#link.log("warn", FAILURES[why], { last });
      await sleep(backOffMs(failures, PAUSES), undefined, { signal }).catch(() => undefined);
    }
  }

  async #runInNext(deaths: number): Promise<End> {
    let slot: Slot;
    try {
      slot = this.#pool.take(this.#tenant, deaths);
    } catch (error) {
      return { why: "unstarted", last: messageOf(error) };
    }
    return this.#runIn(slot);
  }

  async #runIn(slot: Slot): Promise<End> {
    const closing = abortOf(this.#closing.signal);
    slot.serve((method, params, signal) => this.#serve(slot, method, params, signal));
    const { channelId, credentials, settings, proxy, callbackUrl, callbackSecret, appCallbackUrl, codes } =
      this.#link;
    const called = { callbackUrl, callbackSecret, appCallbackUrl, codes };
    const opening: Opening = { channelId, credentials, settings, proxy, ...called };
    try {
      let hasEnded = false;
      const opened = slot.peer.call("open", { tenant: this.#tenant, opening }).then(() => {
        // A late response must not replace the session's next process.
        if (!hasEnded) this.#slot = slot;
      });
      opened.catch((error: unknown) => {
        if (!(error instanceof PeerClosed))
          this.#link.log("warn", "a session could not be opened", { error: String(error) });
      });
      const ended = await Promise.race([slot.evicted, closing.promise]);
      hasEnded = true;
      if (ended?.why === "recycled") await this.#settle();
      this.#slot = null;
      if (ended === undefined || ended.why === "recycled") await this.#closeIn(slot);
      return ended ?? { why: "closed", last: "" };
    } finally {
      closing.off();
      this.#slot = null;
      slot.release();
    }
  }

  async #closeIn(slot: Slot): Promise<void> {
    const limit = AbortSignal.timeout(CLOSE_LIMIT_MS - 500);
    await slot.peer.call("close", { tenant: this.#tenant }, limit).catch(() => undefined);
  }

  /** Resolves when no call is pending, or after a time limit. */
  async #settle(): Promise<void> {
    const slot = this.#slot;
    this.#slot = null;
    if (slot === null) return;
    await Promise.race([
      Promise.allSettled(this.#pending),
      sleep(MOVE_TIMEOUT_MS, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined),
    ]);
  }

  /** The result of one attempt of the worker to connect through the proxy. */
  #reportExit({ failure, target }: { readonly failure: string | null; readonly target: Target }): void {
    if (this.#link.proxy !== null) reportExit(this.#link.proxy, failure, target);
  }

  /** Handles the worker session's calls of its link. */
  async #serve(slot: Slot, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const link = this.#link;
    const given = params as never;
    switch (method) {
      case "emit":
        return link.emit((given as { event: TransportEvent }).event);
      case "history":
        return link.history();
      case "deadLetter": {
        const { payload, reason } = given as { payload: unknown; reason: string };
        return link.deadLetter(payload, reason);
      }
      case "reportUnknown": {
        const { kind, sample } = given as { kind: string; sample: unknown };
        return link.reportUnknown(kind, sample);
      }
      case "exit":
        return this.#reportExit(given);
      case "permitConnect":
        return link.permitConnect();
      case "credentials.renew":
        return link.renewCredentials((given as { next: unknown }).next);
      case "state.get":
        return link.state.get((given as { key: string }).key);
      case "state.set": {
        const { key, value } = given as { key: string; value: string | null };
        return link.state.set(key, value);
      }
      case "vault.read": {
        const { family, ids } = given as { family: string; ids: readonly string[] };
        return link.vault.read(family, ids);
      }
      case "vault.readAll":
        return link.vault.readAll((given as { family: string }).family);
      case "vault.write":
        return link.vault.write((given as { entries: readonly VaultEntry[] }).entries);
      case "vault.clear":
        return link.vault.clear();
      case "log": {
        const { level, message, details, messageId } = given as {
          level: "debug" | "info" | "warn";
          message: string;
          details: Readonly<Record<string, unknown>> | undefined;
          messageId: string | undefined;
        };
        return aboutMessage(messageId, () => link.log(level, message, details));
      }
      case "file": {
        const file = this.#files.get((given as { handle: string }).handle);
        if (file === undefined) throw new Error("The file no longer exists");
        signal.throwIfAborted();
        return slot.peer.lend(file.open());
      }
      default:
        throw new Error(`A session cannot ask for "${method}"`);
    }
  }
}

function toFailure(error: unknown): unknown {
  if (!(error instanceof PeerClosed)) return error;
  return new TransportError("UNKNOWN_ERROR", "The session ended during the call", {
    retry: "unknown",
    cause: error,
  });
}

function notOpen(): TransportError {
  return new TransportError("UNKNOWN_ERROR", "The session is not open at the moment", { retry: "later" });
}

function abortOf(signal: AbortSignal): { readonly promise: Promise<undefined>; off(): void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const settle = (): void => resolve(undefined);
  signal.addEventListener("abort", settle, { once: true });
  if (signal.aborted) settle();
  return { promise, off: () => signal.removeEventListener("abort", settle) };
}
