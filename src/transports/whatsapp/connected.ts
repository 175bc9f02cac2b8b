import type { BinaryNode, ConnectionState, GroupMetadata, SignalKeyStore, WASocket } from "baileys";
import type { ChannelProfile, LinkState } from "../../core/transport/events.ts";
import { qrPng } from "../../platform/qr.ts";
import { type Account, isLinked } from "./account.ts";
import { Acks } from "./acks.ts";
import { endSocket, openSocket, type Timing, terminate } from "./connection.ts";
import { DeviceLists } from "./device-lists.ts";
import { holdUntil } from "./errors.ts";
import { seenGroup } from "./group-news.ts";
import { handleInTurn } from "./in-turn.ts";
import type { Journal } from "./journal.ts";
import { currentQr, followSecret } from "./pairing.ts";
import { People } from "./people.ts";
import { askPhone } from "./phone-question.ts";
import type { PhoneWatch } from "./phone-watch.ts";
import { Receiver } from "./receiver.ts";
import type { RecentMessages } from "./recent.ts";
import type { Line } from "./sender.ts";
import type { WhatsAppLink } from "./session.ts";
import type { Turns } from "./turns.ts";

/** How a connection came to its end. */
export interface Ended {
  readonly status: number;
  readonly message: string;
  /** How long it had been open; 0 when it never was. */
  readonly openMs: number;
  /** The server let the device in. */
  readonly isLoggedIn: boolean;
}

export interface ConnectedParts {
  readonly link: WhatsAppLink;
  readonly timing: Timing;
  readonly account: Account;
  readonly keys: SignalKeyStore;
  readonly turns: Turns;
  readonly journal: Journal;
  readonly recent: RecentMessages;
  readonly phone: PhoneWatch;
  readonly signal: AbortSignal;
  tell(state: LinkState): Promise<void>;
  /** Who the account is; null for a phone that is not this channel's, of which nothing may be taken. */
  readonly profile: (() => ChannelProfile) | null;
  /** Takes the device off the phone's list and forgets its keys. */
  leave(): Promise<void>;
}

/** What arrived while this device was away is told to have ended within so long after the login. */
const PENDING_LIMIT_MS = 30_000;
const LOGOUT_LIMIT_MS = 10_000;
/** How long the library shows the first code of a connection, and each that follows. */
const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;

/** One connection: it shows QR codes or receives and sends, until it ends. */
export class Connected {
  readonly socket: WASocket;
  readonly ended: Promise<Ended>;
  readonly #parts: ConnectedParts;
  readonly #acks = new Acks();
  readonly #devices = new DeviceLists();
  readonly #people: People;
  readonly #receiver: Receiver;
  readonly #over = new AbortController();
  readonly #finish: (ended: Ended) => void;
  /** Resolves when nothing that arrived is under way any more. */
  readonly #handled: () => Promise<void>;
  #qr: string | null = null;
  #qrEndsAt = 0;
  #isOpen = false;
  readonly #opening = Promise.withResolvers<void>();
  /** All that waited has come, or does not. */
  #isCaughtUp = false;
  #isGreeted = false;
  #isReady = false;
  #heardAt = performance.now();
  #openedAt = 0;
  #pending: NodeJS.Timeout | undefined;
  #opens: NodeJS.Timeout | undefined;
  /** When something came last that may be what waited; from the login on. */
  #newsAt = Number.POSITIVE_INFINITY;
  #watch: NodeJS.Timeout | undefined;
  #isLookingAtPhone = false;
  #isPhoneToldAway = false;

  constructor(parts: ConnectedParts) {
    this.#parts = parts;
    const { promise, resolve } = Promise.withResolvers<Ended>();
    this.ended = promise;
    this.#finish = resolve;
    const { link, journal, recent, account, timing } = parts;
    this.#people = new People({
      vault: link.vault,
      emit: (event) => link.emit(event),
      numberOf: (lid) => this.socket.signalRepository.lidMapping.getPNForLID(lid),
    });
    this.socket = openSocket({
      url: link.settings.wsUrl,
      creds: account.creds,
      keys: parts.keys,
      turns: parts.turns,
      journal,
      timing,
      devices: this.#devices,
      getMessage: async (id) => (await recent.findOwn(id))?.message ?? undefined,
      cachedGroup: (jid) => this.#people.group(jid),
    });
    this.#receiver = new Receiver({
      link,
      journal,
      recent,
      people: this.#people,
      undecryptableMs: timing.undecryptableMs,
      groupName: (jid) => this.#groupName(jid),
      me: () => ({ id: account.creds.me?.id ?? "", lid: account.creds.me?.lid }),
    });
    this.#handled = this.#takeInTurn();
    this.#listen();
  }

  /** A QR code is shown and may be scanned, or a pairing code asked for. */
  get isShowingQr(): boolean {
    return this.#qr !== null && !this.#over.signal.aborted;
  }

  /** Null until the account is active and after the connection's end. */
  line(): Line | null {
    if (!this.#isReady || this.#over.signal.aborted) return null;
    const { link, recent, timing } = this.#parts;
    return {
      link,
      recent,
      socket: this.socket,
      acks: this.#acks,
      people: this.#people,
      signal: this.#over.signal,
      ackMs: timing.ackMs,
      forgetDevices: (jid) => this.#devices.forget(jid),
      lookUpGroup: (jid) => this.#lookUpGroup(jid),
    };
  }

  /** Reads a dead letter once more, in order with what arrives. */
  readAgain(letter: unknown): Promise<void> {
    return this.#receiver.readAgain(letter);
  }

  /** Whether WhatsApp says that it has taken the device off the phone's list. Waits until the connection is open, or ends. */
  async logout(): Promise<boolean> {
    const ended = this.ended.then(() => false);
    const isOpen = await Promise.race([this.#opening.promise.then(() => true), ended]);
    const jid = this.#parts.account.creds.me?.id;
    if (!isOpen || jid === undefined) return false;
    const content = [{ tag: "remove-companion-device", attrs: { jid, reason: "user_initiated" } }];
    const attrs = { to: "s.whatsapp.net", type: "set", xmlns: "md" };
    // The library's own way does not wait for the answer, and closing may overtake the request.
    const asked = this.socket.query({ tag: "iq", attrs, content }, LOGOUT_LIMIT_MS).then(
      () => true,
      () => false,
    );
    return Promise.race([asked, ended]);
  }

  #listen(): void {
    const { account, signal, timing } = this.#parts;
    const { ev, ws } = this.socket;
    this.#acks.listen(this.socket);
    ev.on("connection.update", (update) => void this.#takeUpdate(update));
    ev.on("creds.update", () => this.#save());
    followSecret(this.socket, account.creds, () => void this.#showQr());
    ws.on("frame", (frame: BinaryNode | Uint8Array) => {
      this.#heardAt = performance.now();
      if (!("tag" in frame)) return;
      if (frame.tag !== "iq" && this.#isLoggedIn) this.#newsAt = this.#heardAt;
      const { me } = account.creds;
      if (me !== undefined) this.#parts.phone.see(frame, { id: me.id, lid: me.lid });
    });
    ws.on("CB:success", ({ attrs }: BinaryNode) => {
      this.#parts.phone.setClock(attrs["t"]);
      this.#loggedIn();
    });
    ws.on("CB:iq,,pair-success", (_: BinaryNode) => {
      this.#qr = null;
    });
    signal.addEventListener("abort", this.#abort, { once: true });
    if (signal.aborted) this.#abort();
    if (this.#mayTake()) this.#receiver.listen(this.socket);
    this.#watch = setInterval(() => this.#look(), Math.min(5_000, timing.silentMs / 4)).unref();
  }

  /** Of a phone that is not this channel's nothing may be taken. */
  #mayTake(): boolean {
    return isLinked(this.#parts.account.creds) && this.#parts.profile !== null;
  }

  /** What was left over comes before what arrives now. */
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
    this.#end({ status: 428, message: "closed", openMs: this.#openMs(), isLoggedIn: this.#isLoggedIn });
  };

  #end(ended: Ended): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    clearInterval(this.#watch);
    clearTimeout(this.#pending);
    clearTimeout(this.#opens);
    this.#parts.signal.removeEventListener("abort", this.#abort);
    this.#acks.drop();
    this.#receiver.close();
    void this.#handled()
      .then(() => this.#receiver.settle())
      .then(() => this.#finish(ended));
  }

  async #takeUpdate(update: Partial<ConnectionState>): Promise<void> {
    try {
      if (update.qr !== undefined) await this.#takeQr(update.qr);
      if (update.isNewLogin === true) await this.#parts.tell({ status: "init", reason: "sync" });
      if (update.reachoutTimeLock !== undefined) await this.#takeRestriction(update.reachoutTimeLock);
      if (update.connection === "open") this.#opened();
      if (update.receivedPendingNotifications === true) this.#isCaughtUp = true;
      if (update.connection === "open" || update.receivedPendingNotifications === true) await this.#greet();
      if (update.connection === "close") this.#closed(update);
    } catch (error) {
      if (!this.#over.signal.aborted)
        this.#parts.link.log("warn", "WhatsApp: the state of the link was not stored", {
          error: String(error),
        });
    }
  }

  async #takeQr(text: string): Promise<void> {
    const lifetimeMs = this.#parts.timing.qrMs ?? (this.#qr === null ? FIRST_QR_MS : NEXT_QR_MS);
    this.#qrEndsAt = performance.now() + lifetimeMs;
    await this.#showQr(text);
  }

  async #showQr(text: string | null = this.#qr): Promise<void> {
    if (text === null || this.#over.signal.aborted) return;
    this.#qr = text;
    const qr = await qrPng(currentQr(text, this.#parts.account.creds));
    const expiresInMs = Math.max(0, Math.round(this.#qrEndsAt - performance.now()));
    if (this.isShowingQr) await this.#parts.tell({ status: "init", reason: "qr", qr, expiresInMs });
  }

  get #isLoggedIn(): boolean {
    return this.#newsAt !== Number.POSITIVE_INFINITY;
  }

  #openMs(): number {
    return this.#isOpen ? performance.now() - this.#openedAt : 0;
  }

  /** The server knows the device; what the library asks next need not be answered. */
  #loggedIn(): void {
    this.#newsAt = performance.now();
    const later = (update: Partial<ConnectionState>, ms: number): NodeJS.Timeout =>
      setTimeout(() => void this.#takeUpdate(update), ms).unref();
    this.#opens = later({ connection: "open" }, this.#parts.timing.openMs);
    this.#pending = later({ receivedPendingNotifications: true }, PENDING_LIMIT_MS);
  }

  #opened(): void {
    if (this.#isOpen || this.#over.signal.aborted) return;
    clearTimeout(this.#opens);
    this.#isOpen = true;
    this.#openedAt = performance.now();
    this.#opening.resolve();
  }

  /** Once everything that waited has come; a phone of somebody else is let go at once. */
  async #greet(): Promise<void> {
    if (!this.#isOpen || !this.#isCaughtUp || this.#isGreeted) return;
    this.#isGreeted = true;
    clearTimeout(this.#pending);
    const { profile, recent } = this.#parts;
    if (profile === null) return this.#refuse();
    await recent.tidy();
    // What has ended meanwhile is not told to have begun.
    if (this.#over.signal.aborted) return;
    this.#isReady = true;
    await this.#tellActive(profile);
  }

  async #tellActive(profile: () => ChannelProfile): Promise<void> {
    const { phone, tell } = this.#parts;
    const isAway = phone.isAway;
    await tell({ status: "active", profile: profile(), ...(isAway && { phoneUnavailable: true }) });
    this.#isPhoneToldAway = isAway;
  }

  /** WhatsApp ends the link when the phone stays away, so that is told before. What fails is tried at the next look. */
  async #lookAtPhone(): Promise<void> {
    const { phone, profile, link } = this.#parts;
    if (profile === null || this.#isLookingAtPhone) return;
    this.#isLookingAtPhone = true;
    try {
      if (phone.takeQuestion()) await askPhone(this.socket);
      if (phone.isAway !== this.#isPhoneToldAway) await this.#tellActive(profile);
      await phone.store();
    } catch (error) {
      link.log("debug", "WhatsApp: the phone could not be looked for", { error: String(error) });
    } finally {
      this.#isLookingAtPhone = false;
    }
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
    this.#end({
      status: error?.output?.statusCode ?? 500,
      message: error?.message ?? "The connection was closed",
      openMs: this.#openMs(),
      isLoggedIn: this.#isLoggedIn,
    });
  }

  #save(): void {
    this.#parts.account.save().catch((error: unknown) => {
      if (this.#over.signal.aborted) return;
      this.#parts.link.log("warn", "WhatsApp: what proves this device was not stored", {
        error: String(error),
      });
      terminate(this.socket);
    });
  }

  /** What an earlier process decrypted and could not hand on. Without it nothing may follow. */
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
    const { recent, timing } = this.#parts;
    // Alive is what talks. The library would wait for the farewell of a line that is dead.
    if (performance.now() - this.#heardAt > timing.silentMs) terminate(this.socket);
    if (!this.#isCaughtUp && performance.now() - this.#newsAt > timing.quietMs)
      void this.#takeUpdate({ receivedPendingNotifications: true });
    // A line may hold for weeks. What fails is tried again at the next look.
    if (!this.#isReady) return;
    recent.tidy().catch(() => undefined);
    void this.#lookAtPhone();
  }

  /** WhatsApp tells by itself when the account may not write to strangers, and when it may again. */
  async #takeRestriction({
    isActive,
    timeEnforcementEnds,
  }: NonNullable<ConnectionState["reachoutTimeLock"]>): Promise<void> {
    if (isActive && timeEnforcementEnds === undefined) return;
    const hold = isActive && timeEnforcementEnds !== undefined ? holdUntil(timeEnforcementEnds) : null;
    await this.#parts.link.emit({ kind: "hold", hold });
  }

  async #lookUpGroup(jid: string): Promise<GroupMetadata> {
    const known = this.#people.group(jid);
    if (known !== undefined) return known;
    const metadata = await this.socket.groupMetadata(jid);
    this.#people.learnGroup(metadata);
    const seen = seenGroup(metadata);
    if (seen !== null) this.#parts.link.emit(seen).catch(() => undefined);
    return metadata;
  }

  /** Empty where WhatsApp does not say. */
  async #groupName(jid: string): Promise<string> {
    return this.#lookUpGroup(jid).then(
      ({ subject }) => subject,
      () => "",
    );
  }
}
