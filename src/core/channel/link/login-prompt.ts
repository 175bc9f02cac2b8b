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
  /** The directory has to be asked first, and cannot be. */
  readonly waits?: true;
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

/** The part of a stored prompt that belongs to this state of the channel; null if there is none. */
export function readPrompt(
  text: string | null,
  { status, reason }: { readonly status: string; readonly reason: string | null },
): StoredPrompt | null {
  if (text === null || status !== "init") return null;
  const { passkey, compare, problem, waits } = JSON.parse(text) as StoredPrompt;
  if (reason === "wait_for_passkey" && passkey !== undefined) return { passkey };
  if (reason === "wait_for_code" && compare !== undefined) return { compare };
  if (reason === null && waits === true) return { waits };
  return reason === "qr" && problem !== undefined ? { problem } : null;
}

/**
 * Why the linking before failed, if the connector does not say: a session that ends with its process leaves the channel
 * where it was, and the next session begins with a new code.
 */
export function leftProblem(before: StoredPrompt | null): PasskeyProblem | undefined {
  return before?.passkey === undefined && before?.compare === undefined ? before?.problem : "interrupted";
}

export function passkeyView(prompt: StoredPrompt | null, now: Date): PasskeyView | null {
  if (prompt?.passkey === undefined) return null;
  const { site, request, expiresAt, promptUntil } = prompt.passkey;
  const until = (at: number): number => Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
  return { site, request, seconds: until(expiresAt), promptSeconds: until(promptUntil) };
}
