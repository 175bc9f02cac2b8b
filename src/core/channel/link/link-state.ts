import { sql } from "../../../database/database.ts";
import { monotonicMs } from "../../../platform/clock.ts";
import type { Base } from "../../base.ts";
import type { HasChannelLog } from "../../channel-log/channel-log.ts";
import { asStatus, type ChannelStatus, type ChannelTrigger, nextStatus } from "../../channel-status.ts";
import type { HasDirectory } from "../../directory/directory.ts";
import { notifyReceivers, publish } from "../../event/publish.ts";
import type { ChannelChange, Fact } from "../../payload/facts.ts";
import { isOwnedBy, type OwnedChannelKey } from "../../scope.ts";
import type { ChannelProfile } from "../../transport/events.ts";
import type { HasChannels } from "../channel.ts";
import { CHANNEL_COLUMNS, type Channel, type ChannelRow, channelOf } from "../channel.ts";
import { changeOf, channelFact } from "../channel-fact.ts";
import { giveUpClaim, permitLink } from "./directory-claim.ts";
import type { LinkDetails } from "./link-trigger.ts";
import { leftProblem, readPrompt, type StoredPrompt } from "./login-prompt.ts";

/**
 * `status_at` is the time of the latest known state. All nodes use the database's clock: `$4` is how many seconds ago
 * the messenger was queried.
 */
const ASKED_AT = "statement_timestamp() - make_interval(secs => $4::float8)";
const LOCK = sql(
  "channel_lock_epoch",
  `select ${CHANNEL_COLUMNS}, login_prompt, (${ASKED_AT})::text as asked_at, coalesce(${ASKED_AT} < status_at, false) as outdated
   from channels where account_id = $1 and id = $2 and epoch = $3 and ${isOwnedBy("$5")} and deleted_at is null for no key update`,
);
const LINKED_ELSEWHERE = sql(
  "channel_linked_elsewhere",
  `select 1 from channels where transport = $1 and messenger_id = $2 and id <> $3
     and deleted_at is null and status <> 'disabled' limit 1`,
);
const UPDATE = sql(
  "channel_status_update",
  `update channels set status = $3, reason = $4, status_at = coalesce($11::timestamptz, now()),
     messenger_id = coalesce($5, messenger_id), name = coalesce(given_name, $6, name), phone = coalesce($7, phone), username = coalesce($8, username),
     url = coalesce($9, url), business_id = coalesce($10, business_id),
     active_since = case when $3 = 'active' then coalesce(active_since, now()) else active_since end,
     phone_unavailable = $15, qr = $12, qr_expires_at = now() + make_interval(secs => $13::float8 / 1000), password_hint = $14,
     login_prompt = $16, link_claim = case when $3 = 'active' then coalesce($17, link_claim) else link_claim end
   where account_id = $1 and id = $2 returning ${CHANNEL_COLUMNS}`,
);

// The row of the change was just written by the trigger of `channels`.
const EXPLAIN = sql(
  "channel_state_explain",
  `update channel_states s set detail = $3 where s.account_id = $1 and s.channel_id = $2 and s.id = (
     select id from channel_states where account_id = $1 and channel_id = $2
     order by account_id desc, channel_id desc, id desc limit 1)`,
);
const MAX_DETAIL_LENGTH = 500;

/**
 * Applies a trigger to a channel and publishes its events. Returns the new status, or null if the caller no longer
 * owns the channel. Results of a query (`askedAt`, by `monotonicMs`) that was made before newer information arrived
 * have no effect, because responses may be reordered, with each other and with notifications. Changes of the status are entries of the
 * channel's log. A QR code is published
 * each time while the channel waits for a scan; other events only if the status, name, phone or username changes.
 */
export async function applyTrigger(
  core: Base & HasChannels & HasChannelLog,
  key: OwnedChannelKey,
  trigger: ChannelTrigger,
  details: Details = {},
): Promise<ChannelStatus | null> {
  const result = await core.db.tx(async (tx) => {
    const [row] = await tx.query<LockedRow>(LOCK, [
      key.accountId,
      key.channelId,
      key.epoch,
      ageSeconds(details.askedAt),
      key.owner ?? null,
    ]);
    if (row === undefined) return null;
    const current = asStatus(row.status, row.reason);
    if (row.outdated) return { next: current, changed: false, published: false, isNew: false };
    const elsewhere =
      trigger.kind === "linked" &&
      (trigger.linkedElsewhere ||
        (await tx.query(LINKED_ELSEWHERE, [row.transport, trigger.messengerId, key.channelId])).length > 0);
    const actual = trigger.kind === "linked" ? { ...trigger, linkedElsewhere: elsewhere } : trigger;
    const next = nextStatus({ current, unpaid: row.unpaid, messengerId: row.messenger_id }, actual);
    const same = next.status === current.status && next.reason === current.reason;
    const qr = next.reason === "qr" ? details.qr : undefined;
    const prompt = promptOf(core, next, details, readPrompt(row.login_prompt, row));
    const publishes = trigger.kind === "linked" || trigger.kind === "ended" || qr !== undefined;
    if (same && !publishes && prompt === null)
      return { next, changed: false, published: false, isNew: false };
    const [updated] = await tx.query<ChannelRow>(UPDATE, [
      key.accountId,
      key.channelId,
      next.status,
      next.reason,
      ...profileColumns(next, details.profile),
      row.asked_at,
      qr ?? null,
      qr === undefined ? null : (details.qrExpiresInMs ?? null),
      next.reason === "wait_for_password" ? (details.passwordHint ?? null) : null,
      next.status === "active" && details.phoneUnavailable === true,
      prompt === null ? null : JSON.stringify(prompt),
      details.claim ?? null,
    ]);
    if (updated === undefined) return null;
    const detail = shownDetail(details);
    if (!same && detail !== "") await tx.query(EXPLAIN, [key.accountId, key.channelId, detail]);
    const shown = { qr, passwordHint: details.passwordHint, prompt };
    const facts = factsOf(core, { before: channelOf(row), after: channelOf(updated), ...shown });
    if (facts.length > 0) await publish(tx, facts);
    const isPhoneChanged = updated.phone_unavailable !== row.phone_unavailable;
    return {
      next,
      changed: !same || isPhoneChanged || qr !== undefined || prompt !== null,
      published: facts.length > 0,
      isNew: !same,
    };
  });
  if (result?.published === true) notifyReceivers(core, [key.accountId]);
  if (result?.changed === true) {
    core.caches.channels.delete(key.channelId);
    core.signals.notify("channels", key.channelId);
  }
  if (result?.isNew === true) logStatus(core, key, result.next, shownDetail(details));
  return result?.next ?? null;
}

/**
 * `applyTrigger` for a trigger of a session: a messenger account is claimed in the directory first, if there is one and
 * the channel has not claimed it yet. "waits": the directory cannot be asked, and nothing has changed.
 */
export async function applyLink(
  core: Base & HasChannels & HasChannelLog & HasDirectory,
  key: OwnedChannelKey,
  trigger: ChannelTrigger,
  details: Details = {},
): Promise<ChannelStatus | "waits" | null> {
  if (trigger.kind !== "linked") return applyTrigger(core, key, trigger, details);
  const permission = await permitLink(core, key, trigger.messengerId);
  if (permission.kind === "waits") return "waits";
  const claim = permission.kind === "granted" ? permission.claim : null;
  const linkedElsewhere = permission.kind === "held";
  const status = await applyTrigger(core, key, { ...trigger, linkedElsewhere }, { ...details, claim });
  if (claim !== null && status?.status !== "active") await giveUpClaim(core.db, key.accountId, claim);
  return status;
}

function shownDetail({ detail = "" }: LinkDetails): string {
  return detail.slice(0, MAX_DETAIL_LENGTH).toWellFormed().replaceAll("\0", "");
}

function logStatus(
  { channelLog, clock }: Base & HasChannelLog,
  { accountId, channelId }: OwnedChannelKey,
  { status, reason }: ChannelStatus,
  detail: string,
): void {
  const level = status === "disabled" ? "warn" : "info";
  const said = detail === "" ? {} : { detail };
  const details = { status, ...(reason === null ? {} : { reason }), ...said };
  channelLog.add({ accountId, channelId, at: clock.now(), level, message: MEANING[status], details });
}

const MEANING: Readonly<Record<ChannelStatus["status"], string>> = {
  active: "the channel is connected",
  init: "the channel is not connected yet, or no longer",
  disabled: "the channel was disconnected",
};

/** What is published: only changes, and each QR code. */
function factsOf(
  core: Base,
  {
    before,
    after,
    qr,
    passwordHint,
    prompt,
  }: {
    readonly before: Channel;
    readonly after: Channel;
    readonly qr: string | undefined;
    readonly passwordHint: string | undefined;
    readonly prompt: StoredPrompt | null;
  },
): Fact[] {
  const channel = {
    ...channelFact(core, after, asStatus(after.status, after.reason), qr),
    ...(passwordHint === undefined ? {} : { passwordHint }),
    ...(prompt?.compare === undefined ? {} : { compareCode: prompt.compare }),
    ...(prompt?.problem === undefined ? {} : { passkeyProblem: prompt.problem }),
  };
  return publishedChanges(changeOf(before, after), qr !== undefined).map((change) => ({
    kind: "channel",
    change,
    channel,
  }));
}

/** Null if the step needs none. `before`: the prompt of the state before. */
function promptOf(
  { clock }: Base,
  { status, reason }: ChannelStatus,
  details: Details,
  before: StoredPrompt | null,
): StoredPrompt | null {
  const { passkey, compare, qr } = details;
  if (reason === "wait_for_passkey" && passkey !== undefined) {
    const { site, request, expiresInMs, promptMs } = passkey;
    const now = clock.now().getTime();
    return { passkey: { site, request, expiresAt: now + expiresInMs, promptUntil: now + promptMs } };
  }
  if (reason === "wait_for_code" && compare !== undefined) return { compare };
  if (status === "init" && reason === null && details.waits === true) return { waits: true };
  if (reason !== "qr" || qr === undefined) return null;
  const problem = details.problem ?? leftProblem(before);
  return problem === undefined ? null : { problem };
}

function publishedChanges(change: ReturnType<typeof changeOf>, hasQr: boolean): ChannelChange[] {
  if (change === "status") return ["status"];
  if (hasQr) return ["qr"];
  if (change === "phone and names") return ["phone", "names"];
  return change === null ? [] : [change];
}

interface Details extends LinkDetails {
  readonly askedAt?: number | undefined;
  /** Of the messenger account, in the directory. */
  readonly claim?: string | null;
  /** The prompt says that the directory cannot be asked. */
  readonly waits?: true;
}

interface LockedRow extends ChannelRow {
  readonly login_prompt: string | null;
  /** With full precision, which a `Date` would lose. */
  readonly asked_at: string | null;
  readonly outdated: boolean;
}

function ageSeconds(askedAt: number | undefined): number | null {
  return askedAt === undefined ? null : Math.max(0, monotonicMs() - askedAt) / 1_000;
}

/** Only an accepted link changes the profile: a foreign phone or a second link leaves the row unchanged. */
function profileColumns(next: ChannelStatus, profile: ChannelProfile | undefined): (string | null)[] {
  if (next.status !== "active" || profile === undefined) return [null, null, null, null, null, null];
  return [
    profile.messengerId,
    profile.name,
    profile.phone ?? null,
    profile.username ?? null,
    profile.url ?? null,
    profile.businessId ?? null,
  ];
}
