import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "../../clock.ts";
import type { Account } from "./account.ts";

/** A pending login by QR code. */
export interface QrTrack {
  readonly id: string;
  readonly link: string;
  expiresMs: number;
  account: Account | undefined;
}

/** A login by a code sent to a phone. */
export interface CodeTrack {
  readonly token: string;
  readonly account: Account;
  readonly code: string;
  readonly expiresMs: number;
  wrong: number;
}

/** A login that lacks the password. */
export interface PasswordTrack {
  readonly id: string;
  readonly account: Account;
  wrong: number;
}

/** Pending logins. They do not survive a restart. */
export class Tracks {
  readonly #clock: Clock;
  readonly #qr = new Map<string, QrTrack>();
  readonly #codes = new Map<string, CodeTrack>();
  readonly #passwords = new Map<string, PasswordTrack>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  addQr(ttlMs: number): QrTrack {
    const id = randomUUID();
    const link = `https://max.ru/:auth/${randomUUID()}`;
    const track = { id, link, expiresMs: this.#clock.nowMs() + ttlMs, account: undefined };
    this.#qr.set(id, track);
    return track;
  }

  /** Undefined if it is unknown, used or expired. */
  qr(id: string): QrTrack | undefined {
    const track = this.#qr.get(id);
    return track && track.expiresMs > this.#clock.nowMs() ? track : undefined;
  }

  /** By the content of the QR code; includes expired ones. */
  qrByLink(link: string): QrTrack | undefined {
    return [...this.#qr.values()].find((track) => track.link === link);
  }

  isExpired({ expiresMs }: { expiresMs: number }): boolean {
    return expiresMs <= this.#clock.nowMs();
  }

  addCode(account: Account, ttlMs: number): CodeTrack {
    const code = String(Math.floor(Math.random() * 1_000_000)).padStart(6, "0");
    const token = randomBytes(24).toString("base64url");
    const track = { token, account, code, expiresMs: this.#clock.nowMs() + ttlMs, wrong: 0 };
    this.#codes.set(token, track);
    return track;
  }

  code(token: string): CodeTrack | undefined {
    return this.#codes.get(token);
  }

  addPassword(account: Account): PasswordTrack {
    const track = { id: randomUUID(), account, wrong: 0 };
    this.#passwords.set(track.id, track);
    return track;
  }

  password(id: string): PasswordTrack | undefined {
    return this.#passwords.get(id);
  }

  /** Ends a login of any kind. */
  end(id: string): void {
    for (const map of [this.#qr, this.#codes, this.#passwords]) map.delete(id);
  }

  clear(): void {
    for (const map of [this.#qr, this.#codes, this.#passwords]) map.clear();
  }
}
