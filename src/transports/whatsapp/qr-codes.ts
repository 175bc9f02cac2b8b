import { randomBytes } from "node:crypto";
import type { AuthenticationCreds, BinaryNode, WASocket } from "baileys";
import { QR_ENDED } from "./closing.ts";
import { BROWSER } from "./connection.ts";
import { buildPairingQRData, S_WHATSAPP_NET } from "./library.ts";

/** How long the first QR code of a connection is valid, and each further one. */
const FIRST_MS = 60_000;
const NEXT_MS = 20_000;

export interface QrParts {
  readonly socket: WASocket;
  readonly creds: AuthenticationCreds;
  /** Of each code; undefined: WhatsApp's own. */
  readonly lifetimeMs: number | undefined;
  /** `expiresInMs`: until the next code. */
  show(text: string, expiresInMs: number): void;
}

/**
 * The QR codes of one connection, instead of the library's: it ends the connection when they run out, although the
 * person may have scanned one and still be asked for the passkey. It also shows the initial secret only.
 */
export class QrCodes {
  readonly #parts: QrParts;
  #refs: string[] = [];
  #ref: string | null = null;
  #isFirst = true;
  #endsAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Call before the connection opens. */
  constructor(parts: QrParts) {
    this.#parts = parts;
    const { ws } = parts.socket;
    ws.removeAllListeners("CB:iq,type:set,pair-device");
    ws.on("CB:iq,type:set,pair-device", (node: BinaryNode) => this.#take(node));
    // WhatsApp invalidates the secret while its code is shown (introduced in July 2026); scanning the old code would fail.
    ws.on("CB:notification,type:companion_reg_refresh", () => {
      if (this.#ref === null) return;
      parts.creds.advSecretKey = randomBytes(32).toString("base64");
      this.#show();
    });
  }

  get isShown(): boolean {
    return this.#ref !== null;
  }

  /** No code is valid any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#ref = null;
    this.#refs = [];
  }

  #take({ attrs, content }: BinaryNode): void {
    const { socket } = this.#parts;
    const id = attrs["id"] ?? "";
    socket.sendNode({ tag: "iq", attrs: { to: S_WHATSAPP_NET, type: "result", id } }).catch(() => undefined);
    const [pairDevice] = Array.isArray(content) ? content : [];
    const refs = Array.isArray(pairDevice?.content) ? pairDevice.content : [];
    this.#refs = refs.flatMap(({ tag, content: ref }) =>
      tag === "ref" && ref instanceof Uint8Array ? [Buffer.from(ref).toString()] : [],
    );
    this.#next();
  }

  #next(): void {
    clearTimeout(this.#timer);
    const ref = this.#refs.shift();
    if (ref === undefined) {
      this.stop();
      void this.#parts.socket.end(Object.assign(new Error(QR_ENDED), { output: { statusCode: 408 } }));
      return;
    }
    this.#ref = ref;
    const ms = this.#parts.lifetimeMs ?? (this.#isFirst ? FIRST_MS : NEXT_MS);
    this.#isFirst = false;
    this.#endsAt = performance.now() + ms;
    this.#timer = setTimeout(() => this.#next(), ms).unref();
    this.#show();
  }

  #show(): void {
    const { creds, show } = this.#parts;
    if (this.#ref === null) return;
    const [noise, identity] = [creds.noiseKey, creds.signedIdentityKey].map((pair) =>
      Buffer.from(pair.public).toString("base64"),
    );
    const text = buildPairingQRData(this.#ref, noise ?? "", identity ?? "", creds.advSecretKey, BROWSER);
    show(text, Math.max(0, Math.round(this.#endsAt - performance.now())));
  }
}
