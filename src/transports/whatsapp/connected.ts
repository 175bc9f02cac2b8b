import type {
  BinaryNode,
  ConnectionState,
  GroupMetadata,
  NewChatMessageCapInfo,
  SignalKeyStore,
  WASocket,
} from "baileys";
import type { ChannelProfile, LinkState } from "../../core/transport/events.ts";
import type { PasskeyProblem } from "../../core/transport/login.ts";
import { qrPng } from "../../platform/qr.ts";
import { retryingVault } from "../kit/retrying-vault.ts";
import { ActiveReport } from "./active-report.ts";
import { DEVICE_TYPE, endSocket, openSocket, type Timing, terminate } from "./connection.ts";
import { type HistoryChats, HistoryImport } from "./inbound/history.ts";
import { handleInTurn } from "./inbound/in-order.ts";
import type { Journal } from "./inbound/journal.ts";
import { Receiver } from "./inbound/receiver.ts";
import { RecentMessages } from "./inbound/recent.ts";
import { readCap, readTimelock } from "./inbound/restriction.ts";
import type { KeyedMutex } from "./keys/keyed-mutex.ts";
import { askToUnlink, type LogoutOutcome } from "./leaving.ts";
import type { WhatsAppLink } from "./link.ts";
import { Opening } from "./opening.ts";
import { Acks } from "./outbound/acks.ts";
import { openHistory } from "./outbound/media.ts";
import type { Line } from "./outbound/sender.ts";
import { PasskeyLinking } from "./passkey/linking.ts";
import { type Account, isLinked } from "./people/account.ts";
import { DeviceLists } from "./people/device-lists.ts";
import { lookUpGroup } from "./people/group-lookup.ts";
import type { GroupNames } from "./people/group-names.ts";
import { People } from "./people/people.ts";
import type { PhoneWatch } from "./phone-watch.ts";
import { QrCodes } from "./qr-codes.ts";

/** How a connection ended. */
export interface Ended {
  readonly status: number;
  readonly message: string;
  /** How long it was open, in ms; 0 if it never was. */
  readonly openMs: number;
  /** Whether the server accepted the device. */
  readonly isLoggedIn: boolean;
  /** Why a linking with a passkey failed. */
  readonly problem?: PasskeyProblem;
}

export interface ConnectedParts {
  readonly link: WhatsAppLink;
  readonly timing: Timing;
  readonly account: Account;
  readonly keys: SignalKeyStore;
  readonly turns: KeyedMutex;
  readonly journal: Journal;
  readonly recent: RecentMessages;
  readonly phone: PhoneWatch;
  readonly groupNames: GroupNames;
  readonly signal: AbortSignal;
  /** Of a device that is not linked yet: whether earlier messages are to be imported. */
  readonly wantsHistory: boolean;
  /** Why the linking on the connection before failed; null if it did not. */
  readonly problem: PasskeyProblem | null;
  tell(state: LinkState): Promise<void>;
  /** The account's profile; null for a phone that is not this channel's, whose data must not be stored. */
  readonly profile: (() => ChannelProfile) | null;
  /** Unlinks the device from the phone and deletes its keys. */
  leave(): Promise<void>;
}

/** One connection: it shows QR codes, or receives and sends, until it ends. */
export class Connected {
  readonly socket: WASocket;
  readonly ended: Promise<Ended>;
  readonly #parts: ConnectedParts;
  readonly #acks = new Acks();
  readonly #devices = new DeviceLists();
  readonly #people: People;
  readonly #receiver: Receiver;
  readonly #history: HistoryImport;
  readonly #over = new AbortController();
  readonly #finish: (ended: Ended) => void;
  /** Resolves when no stanza is being processed. */
  readonly #handled: () => Promise<void>;
  readonly #codes: QrCodes;
  readonly #passkey: PasskeyLinking;
  #passkeyProblem: PasskeyProblem | null = null;
  readonly #opening: Opening;
  /** Null for a phone that is not this channel's. */
  readonly #active: ActiveReport | null;
  #isGreeted = false;
  #isReady = false;
  #watch: NodeJS.Timeout | undefined;

  constructor(parts: ConnectedParts) {
    this.#parts = parts;
    const { promise, resolve } = Promise.withResolvers<Ended>();
    this.ended = promise;
    this.#finish = resolve;
    const { link, journal, recent, account, timing, groupNames } = parts;
    const resendable = new RecentMessages(retryingVault(link, "WhatsApp", this.#over.signal));
    this.#people = new People({
      vault: link.vault,
      emit: (event) => link.emit(event),
      numberOf: (lid) => this.socket.signalRepository.lidMapping.getPNForLID(lid),
    });
    this.socket = openSocket({
      url: link.settings.wsUrl,
      proxy: link.proxy,
      creds: account.creds,
      keys: parts.keys,
      turns: parts.turns,
      journal,
      timing,
      devices: this.#devices,
      wantsHistory: parts.wantsHistory,
      getMessage: async (id) => (await resendable.findOwn(id))?.message ?? undefined,
      cachedGroup: (jid) => this.#people.group(jid),
    });
    this.#history = new HistoryImport({
      link,
      timing,
      signal: this.#over.signal,
      open: (part, limit) =>
        openHistory(part, { home: link.settings.wsUrl, proxy: link.proxy, signal: limit }),
      read: (message) => this.#receiver.fromHistory(message),
      learn: (chats) => this.#learnHistory(chats),
    });
    const { socket } = this;
    const { profile } = parts;
    this.#opening = new Opening(timing, (update) => void this.#takeUpdate(update));
    this.#active =
      profile === null
        ? null
        : new ActiveReport(socket, { link, phone: parts.phone, profile, tell: parts.tell });
    this.#codes = new QrCodes({
      socket,
      creds: account.creds,
      lifetimeMs: timing.qrMs,
      show: (text, expiresInMs) => void this.#showQr(text, expiresInMs),
    });
    this.#receiver = new Receiver({
      link,
      history: this.#history,
      journal,
      recent,
      people: this.#people,
      undecryptableMs: timing.undecryptableMs,
      groupName: (jid) => groupNames.find(jid, () => this.#lookUpGroup(jid)),
      me: () => ({ id: account.creds.me?.id ?? "", lid: account.creds.me?.lid }),
    });
    this.#handled = this.#takeInTurn();
    // After the library's listeners are wrapped.
    this.#passkey = this.#listenForPasskey();
    this.#listen();
  }

  /** Whether a QR code is shown, so that it can be scanned or a pairing code requested. */
  get isShowingQr(): boolean {
    return this.#codes.isShown && !this.#over.signal.aborted;
  }

  /** The answer of the account's passkey, as text. Throws `LoginRefused`. */
  answerPasskey(text: string): Promise<void> {
    return this.#passkey.answer(text);
  }

  /** The person says that the phone shows this code. Throws `LoginRefused`. */
  compareCode(code: string): Promise<void> {
    return this.#passkey.compare(code);
  }

  /** Null before the account is active and after the connection has ended. */
  line(): Line | null {
    if (!this.#isReady || this.#over.signal.aborted) return null;
    const { link, recent, timing, groupNames } = this.#parts;
    return {
      link,
      recent,
      socket: this.socket,
      acks: this.#acks,
      people: this.#people,
      signal: this.#over.signal,
      ackMs: timing.ackMs,
      forgetDevices: (jid) => this.#devices.forget(jid),
      lookUpGroup: async (jid) => {
        const metadata = await this.#lookUpGroup(jid);
        groupNames.learn(jid, metadata.subject);
        return metadata;
      },
    };
  }

  /** Parses a dead letter again, in order with arriving messages. */
  reprocess(letter: unknown): Promise<void> {
    return this.#receiver.reprocess(letter);
  }

  /** Asks WhatsApp to unlink the device. Waits until the connection is open or has ended. */
  async logout(): Promise<LogoutOutcome> {
    const ended = this.ended.then(() => "lost" as const);
    const opened = await Promise.race([this.#opening.opened, ended]);
    const jid = this.#parts.account.creds.me?.id;
    if (opened === "lost" || jid === undefined) return "lost";
    return Promise.race([askToUnlink(this.socket, jid), ended]);
  }

  #listen(): void {
    const { account, signal, timing } = this.#parts;
    const { ev, ws } = this.socket;
    this.#acks.listen(this.socket);
    ev.on("connection.update", (update) => void this.#takeUpdate(update));
    ev.on("creds.update", () => this.#save());
    ev.on("message-capping.update", (cap) => void this.#takeCap(cap).catch(this.#logUntold));
    ev.on("groups.update", (groups) => {
      for (const { id, subject } of groups) if (id && subject) this.#parts.groupNames.learn(id, subject);
    });
    ws.on("frame", (frame: BinaryNode | Uint8Array) => {
      const isStanza = "tag" in frame;
      this.#opening.hear(isStanza && frame.tag !== "iq");
      if (!isStanza) return;
      const { me } = account.creds;
      if (me !== undefined) this.#parts.phone.see(frame, { id: me.id, lid: me.lid });
    });
    ws.on("CB:success", ({ attrs }: BinaryNode) => {
      this.#parts.phone.setClock(attrs["t"]);
      this.#opening.logIn();
    });
    ws.on("CB:iq,,pair-success", (_: BinaryNode) => {
      this.#codes.stop();
      this.#passkey.stop();
    });
    signal.addEventListener("abort", this.#abort, { once: true });
    if (signal.aborted) this.#abort();
    if (this.#mayTake()) this.#receiver.listen(this.socket);
    this.#watch = setInterval(() => this.#look(), Math.min(5_000, timing.silentMs / 4)).unref();
  }

  /** Nothing of a phone that is not this channel's may be stored. */
  #mayTake(): boolean {
    return isLinked(this.#parts.account.creds) && this.#parts.profile !== null;
  }

  /** Leftover messages are processed before newly arriving ones. */
  #takeInTurn(): () => Promise<void> {
    const { journal } = this.#parts;
    return handleInTurn(this.socket, {
      first: this.#mayTake() ? this.#recover(journal) : Promise.resolve(),
      before: async (node) => {
        journal.see(node);
        if (this.#mayTake()) await this.#receiver.keep(node);
      },
      after: (node) => this.#receiver.takeKept(node),
    });
  }

  readonly #abort = (): void => {
    void endSocket(this.socket);
    this.#end({
      status: 428,
      message: "closed",
      openMs: this.#opening.openMs,
      isLoggedIn: this.#opening.isLoggedIn,
    });
  };

  #end(ended: Ended): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    clearInterval(this.#watch);
    this.#opening.stop();
    this.#codes.stop();
    this.#passkey.stop();
    this.#parts.signal.removeEventListener("abort", this.#abort);
    this.#acks.drop();
    this.#receiver.close();
    void this.#handled()
      .then(() => this.#receiver.settle())
      .then(() => this.#finish(ended));
  }

  async #takeUpdate(update: Partial<ConnectionState>): Promise<void> {
    try {
      if (update.isNewLogin === true) await this.#parts.tell({ status: "init", reason: "sync" });
      if (update.reachoutTimeLock !== undefined) await this.#takeRestriction(update.reachoutTimeLock);
      if (update.connection === "open" && !this.#over.signal.aborted) this.#opening.open();
      if (update.receivedPendingNotifications === true) this.#opening.catchUp();
      if (update.connection === "open" || update.receivedPendingNotifications === true) await this.#greet();
      if (update.connection === "close") this.#closed(update);
    } catch (error) {
      this.#logUntold(error);
    }
  }

  async #showQr(text: string, expiresInMs: number): Promise<void> {
    const qr = await qrPng(text);
    const { problem, tell } = this.#parts;
    if (!this.isShowingQr) return;
    const about = problem === null ? {} : { problem };
    await tell({ status: "init", reason: "qr", qr, expiresInMs, ...about }).catch(this.#logUntold);
  }

  #listenForPasskey(): PasskeyLinking {
    const { account, timing, tell, link } = this.#parts;
    return new PasskeyLinking({
      socket: this.socket,
      creds: account.creds,
      deviceType: DEVICE_TYPE,
      timing,
      begin: () => this.#codes.stop(),
      tell: (state) => tell(state).catch(this.#logUntold),
      fail: (problem) => {
        this.#passkeyProblem = problem;
        terminate(this.socket);
      },
      log: (message, details) => link.log("warn", message, details),
    });
  }

  readonly #logUntold = (error: unknown): void => {
    if (this.#over.signal.aborted) return;
    this.#parts.link.log("warn", "WhatsApp: the link state could not be stored", { error: String(error) });
  };

  /** Runs once all pending messages have arrived. Rejects another person's phone immediately. */
  async #greet(): Promise<void> {
    if (!this.#opening.isComplete || this.#isGreeted) return;
    this.#isGreeted = true;
    if (this.#active === null) return this.#refuse();
    // A failure must not keep the channel from becoming active. It is retried at the next check.
    await this.#parts.recent.tidy().catch(() => undefined);
    // A session that has ended meanwhile is not reported as active.
    if (this.#over.signal.aborted) return;
    this.#isReady = true;
    await this.#active.tell();
    void this.#history.run();
  }

  /** What a part of the history tells of its chats; the library does not read the parts of a whole history. */
  async #learnHistory({ names, numbers }: HistoryChats): Promise<void> {
    for (const { jid, name } of names) this.#parts.groupNames.learn(jid, name);
    await this.socket.signalRepository.lidMapping.storeLIDPNMappings([...numbers]);
  }

  async #refuse(): Promise<void> {
    await this.#parts.leave();
    await this.#parts.tell({ status: "disabled", reason: "foreignphone" });
  }

  #closed({ lastDisconnect }: Partial<ConnectionState>): void {
    const error = lastDisconnect?.error as
      | (Error & { readonly output?: { readonly statusCode?: number } })
      | undefined;
    terminate(this.socket);
    const problem = this.#passkeyProblem ?? (this.#passkey.isPending ? "interrupted" : undefined);
    this.#end({
      status: error?.output?.statusCode ?? 500,
      message: error?.message ?? "The connection was closed",
      openMs: this.#opening.openMs,
      isLoggedIn: this.#opening.isLoggedIn,
      ...(problem === undefined ? {} : { problem }),
    });
  }

  #save(): void {
    this.#parts.account.save().catch((error: unknown) => {
      if (this.#over.signal.aborted) return;
      this.#parts.link.log("warn", "WhatsApp: the device's credentials could not be stored", {
        error: String(error),
      });
      terminate(this.socket);
    });
  }

  /**
   * The messages that an earlier process decrypted but did not emit. If this fails, nothing else may be processed.
   */
  async #recover(journal: Journal): Promise<void> {
    const { creds } = this.#parts.account;
    if (creds.me === undefined) return;
    const { id, lid } = creds.me;
    try {
      this.#receiver.take(await journal.recover({ id, lid }));
      await this.#receiver.recover();
    } catch (error) {
      terminate(this.socket);
      throw error;
    }
  }

  #look(): void {
    // Closing a half-open socket would wait for a close frame that never comes, so terminate it.
    if (this.#opening.isSilent) terminate(this.socket);
    this.#opening.check();
    // A connection may last for weeks. A failure is retried at the next check.
    if (!this.#isReady) return;
    this.#parts.recent.tidy().catch(() => undefined);
    void this.#active?.checkPhone();
  }

  /** WhatsApp reports by itself when the account may not write to strangers, and when it may again. */
  async #takeRestriction(lock: NonNullable<ConnectionState["reachoutTimeLock"]>): Promise<void> {
    const event = readTimelock(lock, Date.now());
    if (event !== null) await this.#parts.link.emit(event);
  }

  async #takeCap(cap: NewChatMessageCapInfo): Promise<void> {
    await this.#parts.link.emit(readCap(cap));
  }

  #lookUpGroup(jid: string): Promise<GroupMetadata> {
    return lookUpGroup(jid, { socket: this.socket, people: this.#people, link: this.#parts.link });
  }
}
