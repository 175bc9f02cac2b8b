import type { LinkState } from "../../../core/transport/events.ts";
import type { BoundedMap } from "../bounded-map.ts";
import { Connected, type LoggedIn } from "../connected.ts";
import { isFlood, isProtocolMoved, isUnauthorized, NoResponse, Refusal } from "../errors.ts";
import { CHATS_AT_LOGIN } from "../inbound/catch-up.ts";
import { type Marker, OVERLAP_MS } from "../inbound/marker.ts";
import type { MaxLink } from "../link.ts";
import { type Account, isOwner } from "../linking/account.ts";
import { Linking } from "../linking/linking.ts";
import type { Line } from "../outbound/sender.ts";
import type { SentLog } from "../outbound/sent-log.ts";
import { type MaxContact, readLogin, toProfile } from "../people/profile.ts";
import type { Timing } from "../timing.ts";
import { codecOf } from "../wire/codecs.ts";
import { OP } from "../wire/opcodes.ts";
import { MaxClient, type Push } from "./client.ts";
import { BROWSER, userAgent } from "./user-agent.ts";

/** The maximum number of pushes before the account is known. */
const MOST_EARLY = 500;

/** How a connection ended: temporarily, or for good. */
export type Ended =
  /**
   * `isRefused`: MAX rejects this program version, or the request rate. `activeMs`: how long it was used after its
   * catch-up.
   */
  | { readonly kind: "lost"; readonly detail: string; readonly activeMs: number; readonly isRefused: boolean }
  | { readonly kind: "over"; readonly reason: "unauthorized" | "qridle" | "foreignphone" };

export interface AttemptParts {
  readonly link: MaxLink;
  readonly timing: Timing;
  readonly marker: Marker;
  readonly sent: SentLog;
  readonly phones: BoundedMap<string, string | null>;
  readonly account: Account;
  readonly signal: AbortSignal;
  tell(state: LinkState): Promise<void>;
  /** Resolves when the token is stored; it replaces the old token, which is no longer valid. */
  keepToken(token: string): Promise<void>;
}

interface Login {
  readonly answer: LoggedIn;
  readonly person: MaxContact & { readonly id: string };
}

/** One connection: it shows QR codes, or receives and sends, until it ends. */
export class Attempt {
  readonly client: MaxClient;
  readonly #parts: AttemptParts;
  #linking: Linking | null = null;
  #connected: Connected | null = null;
  /** Pushes received before the account is known. */
  readonly #early: Push[] = [];
  #caughtUpAt: number | null = null;
  #isRevoked = false;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
    const { link, timing } = parts;
    const { wsUrl, codec, logFrames } = link.settings;
    this.client = new MaxClient({
      url: wsUrl,
      proxy: link.proxy,
      codec: codecOf(codec),
      userAgent: BROWSER,
      timing,
      mayAct: () => link.mayAct(),
      onPush: (push) => this.#take(push),
      log: (level, message, details) => link.log(level, message, details),
      logsFrames: logFrames === "1",
    });
  }

  get linking(): Linking | null {
    return this.#linking;
  }

  get connected(): Connected | null {
    return this.#connected;
  }

  line(): Line | null {
    return this.#connected?.line() ?? null;
  }

  /** "done": MAX confirms that the session has ended. "offline": the account is not connected. */
  async logout(): Promise<"done" | "refused" | "offline"> {
    if (this.line() === null) return "offline";
    try {
      await this.client.call(OP.logout, {});
      return "done";
    } catch (error) {
      if (error instanceof NoResponse && !error.isConnected) return "offline";
      return error instanceof Refusal && isUnauthorized(error) ? "done" : "refused";
    }
  }

  /** Rejects only if the store is unavailable or the channel closes. */
  async run(): Promise<Ended> {
    const { signal } = this.#parts;
    const close = (): void => this.client.close();
    signal.addEventListener("abort", close, { once: true });
    if (signal.aborted) close();
    try {
      return await this.#live();
    } catch (error) {
      return this.#failed(error);
    } finally {
      signal.removeEventListener("abort", close);
      this.client.close();
      this.#linking = null;
      await this.#connected?.settle();
    }
  }

  async #live(): Promise<Ended> {
    const { account, tell, link } = this.#parts;
    await this.client.opened();
    const { deviceId } = account;
    await this.client.call(OP.sessionInit, { userAgent: userAgent(link.settings.appVersion), deviceId });
    const token = account.token ?? (await this.#askForToken());
    if (token === null) return { kind: "over", reason: "qridle" };
    const { answer, person } = await this.#logIn(token);
    const { id, phone } = person;
    if (!(await isOwner(link, { id, ...(phone !== undefined && { phone }) })))
      return this.#rejectForeignAccount();
    this.#connected = this.#receiveFor(id);
    await this.#connected.catchUp(answer);
    this.#caughtUpAt = performance.now();
    await tell({ status: "active", profile: toProfile(person) });
    this.#connected.importHistory();
    return this.#lost(await this.client.ended);
  }

  /** More early pushes than fit end the connection; the next one fetches them. */
  #take(push: Push): void {
    if (this.#connected !== null) this.#connected.take(push);
    else if (this.#early.length < MOST_EARLY) this.#early.push(push);
    else this.client.close("too many pushes");
  }

  async #askForToken(): Promise<string | null> {
    const { timing, signal, tell, keepToken } = this.#parts;
    this.#linking = new Linking({ client: this.client, timing, signal, tell });
    const token = await this.#linking.token();
    this.#linking = null;
    if (token === null) return null;
    await keepToken(token);
    await tell({ status: "init", reason: "sync" });
    return token;
  }

  /** A new token replaces the old one, which may become invalid immediately, so it is stored first. */
  async #logIn(token: string): Promise<Login> {
    const since = Math.max(0, (await this.#parts.marker.load()) - OVERLAP_MS);
    const answer = readLogin(
      await this.client.call(OP.login, {
        token,
        chatsCount: CHATS_AT_LOGIN,
        interactive: false,
        chatsSync: since,
        contactsSync: since,
        presenceSync: since,
        draftsSync: since,
      }),
    );
    if (answer?.token !== undefined && answer.token !== token) await this.#parts.keepToken(answer.token);
    const { contact, id: ownId, phone: ownPhone } = answer?.profile ?? {};
    const id = contact?.id ?? ownId;
    const phone = contact?.phone ?? ownPhone;
    if (answer === undefined || id === undefined) throw new Refusal("", "the login contains no account");
    return { answer, person: { ...contact, id, ...(phone !== undefined && { phone }) } };
  }

  /** Logs out an account that does not belong to this channel's owner, without storing anything of it. */
  async #rejectForeignAccount(): Promise<Ended> {
    await this.client.call(OP.logout, {}).catch(() => undefined);
    return { kind: "over", reason: "foreignphone" };
  }

  #receiveFor(self: string): Connected {
    const { link, timing, marker, sent, phones, signal } = this.#parts;
    const connected = new Connected({
      ...{ link, timing, marker, sent, phones, signal, self },
      client: this.client,
      revoked: () => {
        this.#isRevoked = true;
        this.client.close("the session was revoked");
      },
    });
    for (const push of this.#early.splice(0)) connected.take(push);
    return connected;
  }

  #lost(detail: string, isRefused = false): Ended {
    if (this.#isRevoked) return { kind: "over", reason: "unauthorized" };
    const activeMs = this.#caughtUpAt === null ? 0 : performance.now() - this.#caughtUpAt;
    return { kind: "lost", detail, activeMs, isRefused };
  }

  #failed(error: unknown): Ended {
    if (this.#isRevoked) return { kind: "over", reason: "unauthorized" };
    if (error instanceof NoResponse) return this.#lost(error.message);
    if (!(error instanceof Refusal)) throw error;
    if (isUnauthorized(error)) return { kind: "over", reason: "unauthorized" };
    const { key, words } = error;
    if (isProtocolMoved(error))
      this.#parts.link.log(
        "warn",
        "MAX rejects this version of its web client: set MAX_APP_VERSION, or update",
        { key, words },
      );
    else this.#parts.link.log("warn", "MAX rejected the login", { key, words });
    return this.#lost(error.message, isProtocolMoved(error) || isFlood(error));
  }
}
