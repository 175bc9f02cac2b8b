import { randomBytes } from "node:crypto";
import type { AuthenticationCreds, BinaryNode, WASocket } from "baileys";
import { LoginRefused } from "../../../core/transport/errors.ts";
import type { LinkState } from "../../../core/transport/events.ts";
import type { PasskeyFault, PasskeyProblem } from "../../../core/transport/login.ts";
import { isLost } from "../errors.ts";
import { S_WHATSAPP_NET } from "../library.ts";
import { isLinked } from "../people/account.ts";
import { Agreement, handoffKey, proofOf, sealRequest } from "./agreement.ts";
import { type PasskeyOptions, readAnswer, readOptions } from "./answer.ts";

/** Passkeys of whatsapp.com work on its own pages only. */
const SITE = "https://web.whatsapp.com/";
/** The validity of a request, unless it states another one. */
const VALID_MS = { usual: 10 * 60_000, least: 1_000, most: 15 * 60_000 };

/** A request of the server, and how far its answer is. */
interface Exchange {
  readonly options: PasskeyOptions;
  /** Of the secret that the phone has scanned; null if that is uncertain. */
  readonly handoff: Buffer | null;
  readonly askedAt: number;
  readonly validMs: number;
  stage: "asked" | "answering" | "answered" | "comparing" | "confirming";
  agreement: Agreement | null;
  isProved: boolean;
  /** Resolves with whether the server has accepted the answer. */
  readonly accepted: PromiseWithResolvers<boolean>;
  key: Buffer | null;
  code: string | null;
}

export interface PasskeyParts {
  readonly socket: WASocket;
  readonly creds: AuthenticationCreds;
  readonly deviceType: number;
  readonly timing: { readonly handoffMs: number; readonly continueMs: number };
  /** The first request has arrived: no QR code is valid any more. */
  begin(): void;
  tell(state: LinkState): Promise<void>;
  /** Ends the connection; the next one shows a new QR code. */
  fail(problem: PasskeyProblem): void;
  log(message: string, details?: Readonly<Record<string, unknown>>): void;
}

/**
 * Links a device to an account whose passkey WhatsApp requires; the library does not support this. The server ends the
 * exchange with the connection, so nothing of it is stored. Facts: whatsmeow, pair-passkey.go (commit 33cfac51).
 */
export class PasskeyLinking {
  readonly #parts: PasskeyParts;
  #exchange: Exchange | null = null;
  /** The newest request while its options are fetched. */
  #fetching: object | null = null;
  #wasAsked = false;
  #limit: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();

  constructor(parts: PasskeyParts) {
    this.#parts = parts;
    const { ws } = parts.socket;
    ws.on("CB:notification,type:passkey_prologue_request", (node: BinaryNode) => void this.#take(node));
    ws.on("CB:notification,type:crsc_continuation", (node: BinaryNode) => void this.#continue(node));
  }

  /** Whether the linking is not finished: the end of the connection ends it. */
  get isPending(): boolean {
    return this.#exchange !== null || this.#fetching !== null;
  }

  /** The device is linked, or the connection has ended. */
  stop(): void {
    clearTimeout(this.#limit);
    this.#exchange?.accepted.resolve(false);
    this.#exchange = null;
    this.#fetching = null;
  }

  /** Sends the answer of the person's passkey. Throws `LoginRefused`. */
  async answer(text: string): Promise<void> {
    const exchange = this.#at("asked");
    const answer = readAnswer(text, exchange.options);
    if ("fault" in answer) throw refusal(answer.fault);
    exchange.stage = "answering";
    try {
      const ref = bytesIn(await this.#query("get", "ref"), "ref");
      if (ref === null) throw new Error("WhatsApp sent no reference");
      const agreement = new Agreement(Buffer.from(ref).toString(), this.#parts.deviceType);
      exchange.agreement = agreement;
      const prologue = agreement.prologue();
      const proof = this.#proof(exchange, prologue);
      await this.#query("set", "passkey_prologue", [
        leaf("credential_id", answer.credentialId),
        leaf("webauthn_assertion", answer.assertion),
        leaf("prologue_payload", prologue),
        ...(proof === null ? [] : [leaf("pairing_handoff_proof", proof)]),
      ]);
    } catch (error) {
      throw this.#failed(exchange, error);
    }
    if (this.#exchange !== exchange) throw gone();
    exchange.stage = "answered";
    this.#limitTo(this.#parts.timing.continueMs, "silent");
    this.#prompt(exchange);
    exchange.accepted.resolve(true);
  }

  /** The person says that the phone shows this code. Throws `LoginRefused`. */
  async compare(given: string): Promise<void> {
    const exchange = this.#at("comparing");
    if (plain(given) !== plain(exchange.code ?? ""))
      throw new LoginRefused("wrong", "The phone shows another code");
    try {
      await this.#confirm(exchange);
    } catch (error) {
      throw this.#failed(exchange, error);
    }
    // The code need not be shown any more.
    if (this.#exchange === exchange) this.#prompt(exchange);
  }

  #at(stage: Exchange["stage"]): Exchange {
    if (this.#exchange?.stage !== stage) throw gone();
    return this.#exchange;
  }

  async #take(node: BinaryNode): Promise<void> {
    const { creds, begin } = this.#parts;
    if (!isOfServer(node) || isLinked(creds)) return;
    // The server's clock runs from its request, not from the answer of the query below.
    const askedAt = performance.now();
    // After a second request it is uncertain which secret the phone knows.
    const handoff = this.#wasAsked ? null : handoffKey(creds.advSecretKey);
    this.#wasAsked = true;
    this.stop();
    creds.advSecretKey = randomBytes(32).toString("base64");
    begin();
    const options = readOptions(bytesIn(node, "passkey_request_options")) ?? (await this.#fetchOptions());
    if (options === "outdated") return;
    if (options === null) return this.#parts.fail("interrupted");
    const stated = options["timeout"];
    const validMs =
      typeof stated === "number" ? Math.min(Math.max(stated, VALID_MS.least), VALID_MS.most) : VALID_MS.usual;
    const accepted = Promise.withResolvers<boolean>();
    const start = { stage: "asked", agreement: null, isProved: false, key: null, code: null } as const;
    this.#exchange = { options, handoff, askedAt, validMs, accepted, ...start };
    this.#limitTo(this.#leftMs(this.#exchange), "expired");
    this.#prompt(this.#exchange);
  }

  /**
   * The pushed request could not be parsed. `outdated`: a newer one has arrived meanwhile, or the connection has ended.
   */
  async #fetchOptions(): Promise<PasskeyOptions | "outdated" | null> {
    const fetching = {};
    this.#fetching = fetching;
    const tag = "passkey_request_options";
    const response = await this.#query("get", tag).catch(() => null);
    if (this.#fetching !== fetching) return "outdated";
    this.#fetching = null;
    return response === null ? null : readOptions(bytesIn(response, tag));
  }

  async #continue(node: BinaryNode): Promise<void> {
    const exchange = this.#exchange;
    if (!isOfServer(node) || exchange?.agreement == null || !(await exchange.accepted.promise)) {
      this.#parts.log("WhatsApp: a linking was continued that is not known");
      return;
    }
    if (exchange.stage !== "answered" || exchange.key !== null) return;
    try {
      const { key, code } = exchange.agreement.meet(
        bytesIn(node, "primary_ephemeral_identity") ?? new Uint8Array(),
      );
      exchange.key = key;
      exchange.code = code;
      await this.#query("set", "companion_nonce", exchange.agreement.nonce);
      if (exchange.isProved) return await this.#confirm(exchange);
      if (this.#exchange !== exchange) return;
      exchange.stage = "comparing";
      this.#limitTo(this.#leftMs(exchange), "expired");
      this.#tell({ status: "init", reason: "wait_for_code", compare: code });
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  /** Sends the device's keys; the phone links it. */
  async #confirm(exchange: Exchange): Promise<void> {
    const { creds, timing } = this.#parts;
    if (this.#exchange !== exchange || exchange.key === null) throw gone();
    exchange.stage = "confirming";
    this.#limitTo(exchange.isProved ? timing.continueMs : this.#leftMs(exchange), "silent");
    await this.#query("set", "encrypted_pairing_request", sealRequest(exchange.key, creds));
  }

  /** Null if a person has to compare codes instead. */
  #proof(exchange: Exchange, prologue: Buffer): Buffer | null {
    const { handoff, askedAt } = exchange;
    exchange.isProved = handoff !== null && performance.now() - askedAt < this.#parts.timing.handoffMs;
    return exchange.isProved && handoff !== null ? proofOf(handoff, prologue) : null;
  }

  /** Ends the exchange, which the server does not continue after an error. Returns the error for the person. */
  #failed(exchange: Exchange, error: unknown): LoginRefused {
    if (error instanceof LoginRefused) return error;
    const isRefused = !isLost(error) && isAnswered(error);
    const text = error instanceof Error ? error.message : String(error);
    this.#parts.log("WhatsApp: the linking with a passkey failed", { stage: exchange.stage, error: text });
    if (this.#exchange === exchange) this.#end(isRefused ? "refused" : "interrupted");
    return isRefused
      ? refusal("refused", `WhatsApp refused the passkey (${text})`)
      : new LoginRefused("unavailable", "WhatsApp did not respond", { cause: error });
  }

  #end(problem: PasskeyProblem): void {
    this.stop();
    this.#parts.fail(problem);
  }

  #limitTo(ms: number, problem: PasskeyProblem): void {
    clearTimeout(this.#limit);
    this.#limit = setTimeout(() => this.#end(problem), ms).unref();
  }

  #leftMs({ askedAt, validMs }: Exchange): number {
    return Math.max(0, askedAt + validMs - performance.now());
  }

  #prompt(exchange: Exchange): void {
    const { handoff, askedAt, stage, options } = exchange;
    const handoffMs = handoff === null ? 0 : askedAt + this.#parts.timing.handoffMs - performance.now();
    this.#tell({
      status: "init",
      reason: "wait_for_passkey",
      passkey: {
        site: SITE,
        request: stage === "asked" ? options : null,
        expiresInMs: Math.round(this.#leftMs(exchange)),
        promptMs: Math.max(0, Math.round(handoffMs)),
      },
    });
  }

  /** In order, without waiting for the store. */
  #tell(state: LinkState): void {
    this.#telling = this.#telling.then(() => this.#parts.tell(state)).catch(() => undefined);
  }

  #query(type: "get" | "set", tag: string, content?: BinaryNode["content"]): Promise<BinaryNode> {
    const child = content === undefined ? { tag, attrs: {} } : { tag, attrs: {}, content };
    const attrs = { to: S_WHATSAPP_NET, type, xmlns: "md" };
    return this.#parts.socket.query({ tag: "iq", attrs, content: [child] });
  }
}

const DESCRIPTIONS: Readonly<Record<PasskeyFault, string>> = {
  malformed: "It is not the answer of a passkey",
  other_request: "It answers an earlier request",
  wrong_site: "It was made on another site; it has to be made on web.whatsapp.com",
  not_verified: "The person was not verified, by a fingerprint, a face or a PIN",
  unknown_passkey: "This passkey is not one of the account",
  refused: "WhatsApp refused the passkey",
};

function refusal(fault: PasskeyFault, description: string = DESCRIPTIONS[fault]): LoginRefused {
  return new LoginRefused("wrong", description, { fault });
}

function gone(): LoginRefused {
  return new LoginRefused("not_expected", "The passkey is not awaited at the moment");
}

/** For an error response of WhatsApp, the library has its number in `data`. */
function isAnswered(error: unknown): boolean {
  return typeof (error as { readonly data?: unknown }).data === "number";
}

function isOfServer({ attrs }: BinaryNode): boolean {
  return attrs["from"] === S_WHATSAPP_NET || attrs["from"] === S_WHATSAPP_NET.replace("@", "");
}

function bytesIn({ content }: BinaryNode, tag: string): Uint8Array | null {
  const found = Array.isArray(content) ? content.find((each) => each.tag === tag)?.content : undefined;
  return found instanceof Uint8Array ? found : null;
}

const leaf = (tag: string, content: Uint8Array): BinaryNode => ({ tag, attrs: {}, content });

/** Without hyphens, in capitals. */
function plain(code: string): string {
  return code.replaceAll(/[^0-9a-z]/gi, "").toUpperCase();
}
