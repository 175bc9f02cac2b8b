import type { PasskeyProblem } from "../../transport/login.ts";

/** What a person needs for a login step, as stored. Times are Unix milliseconds. */
export interface StoredPrompt {
  readonly passkey?: {
    readonly site: string;
    /** Null: it was answered, and the phone has to continue. */
    readonly request: Readonly<Record<string, unknown>> | null;
    readonly expiresAt: number;
    /** After it, the codes have to be compared. */
    readonly promptUntil: number;
  };
  /** The code to compare. */
  readonly compare?: string;
  /** Why the linking before failed. */
  readonly problem?: PasskeyProblem;
}

/** A passkey's ceremony as it is shown. */
export interface PasskeyView {
  readonly site: string;
  readonly request: Readonly<Record<string, unknown>> | null;
  /** Whole seconds until the messenger gives up. */
  readonly seconds: number;
  /** Whole seconds in which an answer needs no comparison of codes. */
  readonly promptSeconds: number;
}

/** A prompt as read from the database; null if there is none. */
export function readPrompt(text: string | null): StoredPrompt | null {
  return text === null ? null : (JSON.parse(text) as StoredPrompt);
}

export function passkeyView(prompt: StoredPrompt | null, now: Date): PasskeyView | null {
  if (prompt?.passkey === undefined) return null;
  const { site, request, expiresAt, promptUntil } = prompt.passkey;
  const until = (at: number): number => Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
  return { site, request, seconds: until(expiresAt), promptSeconds: until(promptUntil) };
}
