import { hash } from "node:crypto";
import { sql } from "../../../database/database.ts";
import type { Base } from "../../base.ts";
import { AppError } from "../../errors.ts";
import type { Scope } from "../../scope.ts";
import type { PasskeyProblem } from "../../transport/login.ts";
import { CHANNEL_COLUMNS, type Channel, type ChannelRow, channelOf } from "../channel.ts";
import { type HistoryView, historyView } from "../history.ts";
import { type PasskeyView, passkeyView, readPrompt } from "./login-prompt.ts";
import { findTrial, NO_TRIAL, type Trial } from "./trial.ts";

/** A channel as displayed to the person who links it. */
export interface LinkView {
  readonly channel: Channel;
  /** A data URL of a PNG; null if no code is shown. */
  readonly qr: string | null;
  /** Whole seconds until the code is replaced; null if the messenger does not say. */
  readonly qrSeconds: number | null;
  /** The owner's hint for the password; null if there is none. */
  readonly passwordHint: string | null;
  /** The import of earlier messages; null: none was asked for. */
  readonly history: HistoryView | null;
  readonly passkey: PasskeyView | null;
  /** The code to compare with the phone's; null if none is shown. */
  readonly compareCode: string | null;
  /** Why the linking with a passkey before failed; null if it did not. */
  readonly passkeyProblem: PasskeyProblem | null;
  /** Of a channel that works. */
  readonly trial: Trial;
  /** The directory has to be asked before the channel is linked, and cannot be now. */
  readonly waits: boolean;
  /** Differs whenever any other field of the view differs. */
  readonly version: string;
}

const FIND = sql(
  "channel_link_view",
  `select ${CHANNEL_COLUMNS}, qr, qr_expires_at, password_hint, login_prompt,
     ceil(extract(epoch from qr_expires_at - now()))::int as qr_seconds
   from channels where account_id = $1 and id = $2 and deleted_at is null`,
);
interface ViewRow extends ChannelRow {
  readonly qr: string | null;
  readonly qr_expires_at: Date | null;
  readonly password_hint: string | null;
  readonly login_prompt: string | null;
  readonly qr_seconds: number | null;
}
const POLL_INTERVAL_MS = 1_000;

/** `since`: from when on messages count for `trial`; undefined: none count. Throws CHANNEL_NOT_FOUND. */
export async function getLinkView(
  core: Base,
  scope: Scope,
  channelId: string,
  since?: Date,
): Promise<LinkView> {
  const [row] = await core.db.query<ViewRow>(FIND, [scope.accountId, channelId]);
  if (row === undefined) throw new AppError("CHANNEL_NOT_FOUND");
  const channel = channelOf(row);
  const waits = channel.reason === "qr";
  const qr = waits ? row.qr : null;
  const passwordHint = channel.reason === "wait_for_password" ? row.password_hint : null;
  const prompt = readPrompt(row.login_prompt, channel);
  const { status, reason, name, phone, username, url } = channel;
  const history = status !== "disabled" ? await historyView(core.db, scope, channelId) : null;
  const isTried = status === "active" && since !== undefined;
  const trial = isTried ? await findTrial(core.db, scope, channelId, since) : NO_TRIAL;
  const version = hash(
    "sha256",
    JSON.stringify([
      status,
      reason,
      channel.phoneUnavailable,
      channel.restrictions,
      name,
      phone,
      username,
      url,
      qr,
      row.qr_expires_at,
      passwordHint,
      history,
      prompt,
      trial,
    ]),
    "base64url",
  );
  const qrSeconds = waits && row.qr_seconds !== null ? Math.max(0, row.qr_seconds) : null;
  return {
    channel,
    qr,
    qrSeconds,
    passwordHint,
    passkey: passkeyView(prompt, core.clock.now()),
    compareCode: prompt?.compare ?? null,
    passkeyProblem: prompt?.problem ?? null,
    waits: prompt?.waits === true,
    history,
    trial,
    version,
  };
}

/**
 * Resolves with the view when it differs from `known`, or unchanged when `signal` aborts. Reacts to changes by this
 * and other nodes. Throws CHANNEL_NOT_FOUND.
 */
export async function awaitLinkView(
  core: Base,
  scope: Scope,
  channelId: string,
  { known, since, signal }: { readonly known: string; readonly since: Date; readonly signal: AbortSignal },
): Promise<LinkView> {
  for (;;) {
    const change = nextChange(core, channelId, signal);
    try {
      const view = await getLinkView(core, scope, channelId, since);
      if (view.version !== known || signal.aborted) return view;
      await change.happened;
    } finally {
      change.cancel();
    }
  }
}

function nextChange(
  core: Base,
  channelId: string,
  signal: AbortSignal,
): { happened: Promise<void>; cancel(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, POLL_INTERVAL_MS);
  const off = core.signals.on("channels", (detail) => {
    if (detail === "" || detail === channelId) resolve();
  });
  const stop = (): void => resolve();
  signal.addEventListener("abort", stop, { once: true });
  return {
    happened: promise,
    cancel() {
      clearTimeout(timer);
      off();
      signal.removeEventListener("abort", stop);
    },
  };
}
