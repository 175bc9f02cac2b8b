import { isDataFault } from "../../database/database.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createRateLimiter } from "../../platform/network/rate-limiter.ts";
import { createSerialQueue } from "../../platform/queue/serial-queue.ts";
import type { Base } from "../base.ts";
import type { HasChannels } from "../channel/channel.ts";
import { channelState, renewCredentials } from "../channel/credentials/channel-state.ts";
import { openCredentials } from "../channel/credentials/credentials.ts";
import { channelVault, type HasVaultNumbers } from "../channel/credentials/vault.ts";
import { historyWish } from "../channel/history.ts";
import { codesOf } from "../channel/link/codes.ts";
import { type ProxyColumns, routeOf } from "../channel/proxy/route.ts";
import { recordRestriction } from "../channel/restriction.ts";
import { recordTier } from "../channel/tier.ts";
import type { HasChannelLog } from "../channel-log/channel-log.ts";
import { redactDetails, redactor } from "../channel-log/redact.ts";
import { recordActivity } from "../chat/activity.ts";
import type { HasChats } from "../chat/chats.ts";
import { recordContactNames } from "../chat/contact-names.ts";
import { type HasTyping, tellTyping } from "../chat/typing.ts";
import type { HasDeadLetters } from "../dead-letter/dead-letters.ts";
import type { HasDirectory } from "../directory/directory.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { type HasHistoryTurns, takeHistory } from "../history/take-history.ts";
import type { HasReports } from "../message/report-queue.ts";
import { recordCooldown } from "../pacing/cooldown.ts";
import type { OwnedChannelKey } from "../scope.ts";
import { recordModeration, recordTemplates } from "../template/record.ts";
import { type BoundedEvent, boundEvent } from "../transport/bounded-event.ts";
import type { ChannelLink } from "../transport/connector.ts";
import { currentMessage } from "../transport/current-message.ts";
import type { Cooldown } from "../transport/errors.ts";
import { encodeEvent } from "../transport/event-json.ts";
import { findShapeErrors } from "../transport/event-shape.ts";
import type { LinkState, TransportEvent } from "../transport/events.ts";
import { logExchange } from "../transport/log-exchange.ts";
import { type RegisteredTransport, requestOf } from "../transport/registry.ts";
import { recordLongText, TextNotKept } from "./long-text.ts";

export interface LinkOptions {
  readonly key: OwnedChannelKey;
  readonly transport: RegisteredTransport;
  readonly sealedCredentials: Buffer;
  readonly proxy: ProxyColumns;
  readonly signal: AbortSignal;
  /** Of a call's link: the id of the linked account. */
  readonly messengerId?: string | null;
  /** Whether a request may be sent now. Default: always. */
  readonly maySend?: () => boolean;
  /** Default: masks the credentials and the operator's secrets. */
  readonly redact?: (text: string) => string;
  /**
   * Receives the session's states, one after the other, and when the session queried each; undefined: it was just
   * reported.
   */
  onLinkState(state: LinkState, askedAt: number | undefined): Promise<void>;
  /** Called after a cooldown of first contacts, or its end, is stored. */
  onCooldown?(cooldown: Cooldown | null): void;
}

/** Limits the persistent connections that this node opens, over all its channels. */
export interface HasConnections {
  readonly connections: ReturnType<typeof createConnections>;
}

export function createConnections() {
  return createRateLimiter({ perSecond: 16 });
}

export type LinkCore = Base &
  HasChannelLog &
  HasDeadLetters &
  HasReports &
  HasChannels &
  HasChats &
  HasHistoryTurns &
  HasConnections &
  HasVaultNumbers &
  HasLive &
  HasTyping &
  HasDirectory;

/** Everything of one channel that a connector can access. */
export function createLink(core: LinkCore, options: LinkOptions): ChannelLink<unknown, unknown> {
  const { key, transport, signal } = options;
  const { channelId } = key;
  let credentials = openCredentials(core, channelId, options.sealedCredentials);
  let mask = options.redact ?? redactor(transport, credentials);
  const redact = (text: string): string => mask(text);
  const log = logOf(core, key, redact);
  // If a link ends while it is stored as active, the end must be stored after it.
  const inOrder = createSerialQueue();
  const onLinkState: LinkOptions["onLinkState"] = (state, askedAt) =>
    inOrder(() => options.onLinkState(withoutSecrets(state, redact), askedAt));
  const proxy = routeOf(core, { id: channelId, transport: transport.definition.id, ...options.proxy });
  const mayAct = (): boolean => !signal.aborted && (options.maySend?.() ?? true);
  return {
    channelId,
    messengerId: options.messengerId ?? null,
    get credentials() {
      return credentials;
    },
    async renewCredentials(next) {
      const renewed = next as typeof credentials;
      const [known, added] = [mask, redactor(transport, renewed)];
      // Pending entries may contain secrets of either.
      mask = (text) => added(known(text));
      await renewCredentials(core, key, renewed);
      credentials = renewed;
    },
    settings: transport.settings,
    callbackUrl: callbackUrlOf(core, transport, channelId),
    callbackSecret: callbackSecretOf(core, transport, channelId),
    appCallbackUrl: appCallbackUrlOf(core, transport),
    codes: codesOf(core, channelId, options.sealedCredentials),
    state: channelState(core, key),
    vault: channelVault(core, key),
    mayAct,
    async permitConnect() {
      await core.connections.acquire(signal);
      if (!mayAct()) throw new Error("The channel belongs to another node now");
    },
    proxy,
    request: requestOf(transport, {
      redact,
      proxy,
      allowNetworks: core.settings.allowNetworks,
      ...(options.maySend === undefined ? {} : { maySend: options.maySend }),
      onExchange(exchange) {
        if (!signal.aborted) logExchange(log, exchange);
      },
    }),
    emit: (event) => recordOrKeep(core, { ...options, onLinkState }, event),
    history: () => historyWish(core, key),
    deadLetter: (payload, reason) => core.deadLetters.add(deadLetterOf(key, payload, redact(reason))),
    reportUnknown: (kind, sample) =>
      core.unknownReports.add({
        transport: transport.definition.id,
        channel: { accountId: key.accountId, channelId },
        ...{ kind, sample, redact },
      }),
    log,
    signal,
  };
}

/** A messenger's own words are shown to operators. */
function withoutSecrets(state: LinkState, redact: (text: string) => string): LinkState {
  if (state.status === "lost") return { ...state, detail: redact(state.detail) };
  if (state.status !== "disabled" || state.detail === undefined) return state;
  return { ...state, detail: redact(state.detail) };
}

function deadLetterOf({ accountId, channelId }: LinkOptions["key"], payload: unknown, reason: string) {
  const stage = "payload" as const;
  return { accountId, channelId, stage, payload: JSON.stringify(payload) ?? "null", reason };
}

/** Writes to the channel's log; `debug` only while an operator records the channel, else to the node's log. */
function logOf(
  core: Base & HasChannelLog,
  { accountId, channelId }: LinkOptions["key"],
  redact: (text: string) => string,
): ChannelLink["log"] {
  return (level, given, details) => {
    const isRecorded = level !== "debug" || core.recordings.take(channelId);
    if (!isRecorded && !core.log.isLevelEnabled("debug")) return;
    const message = redact(given);
    const redacted = details === undefined ? {} : { details: redactDetails(details, redact) };
    const messageId = currentMessage();
    const about = { ...redacted, ...(messageId === undefined ? {} : { messageId }) };
    if (isRecorded)
      core.channelLog.add({ accountId, channelId, at: core.clock.now(), level, message, ...about });
    else core.log.debug({ channelId, ...redacted.details }, message);
  };
}

/**
 * An event that the connector built incorrectly, or that the database rejects, becomes a dead letter: if it were
 * thrown back, the messenger would retry it forever, with everything after it. Link states are not kept, because they
 * are outdated by the time of a replay.
 */
async function recordOrKeep(core: LinkCore, options: LinkOptions, event: TransportEvent): Promise<void> {
  if (event.kind === "link") return record(core, options, boundEvent(event));
  if (event.kind === "history") return takeHistory(core, placeOf(options), event, options.signal);
  const [fault] = findShapeErrors(event);
  if (fault !== undefined) return keepEvent(core, options, event, fault);
  try {
    await record(core, options, boundEvent(event));
  } catch (error) {
    if (!isDataFault(error) && !(error instanceof TextNotKept)) throw error;
    await keepEvent(core, options, event, messageOf(error));
  }
}

function placeOf({ key: { accountId, channelId } }: LinkOptions) {
  return { accountId, channelId };
}

async function keepEvent(
  core: Base & HasDeadLetters,
  { key: { accountId, channelId } }: LinkOptions,
  event: TransportEvent,
  reason: string,
): Promise<void> {
  const payload = encodeEvent(event);
  await core.deadLetters.add({ accountId, channelId, stage: "event", payload, reason });
}

async function record(
  core: LinkCore,
  { key, onLinkState, onCooldown }: LinkOptions,
  { event, whole }: BoundedEvent,
): Promise<void> {
  switch (event.kind) {
    case "link":
      return onLinkState(event.state, event.askedAt);
    case "templates":
      return recordTemplates(core, key, event.templates);
    case "template":
      return recordModeration(core, key, event.template);
    case "activity":
      return recordActivity(core, key, event);
    case "contactNames":
      return recordContactNames(core, key, event);
    case "typing":
      return tellTyping(core, key, event);
    case "tier":
      return recordTier(core, key, event.tier);
    case "cooldown":
      await recordCooldown(core, { accountId: key.accountId, channelId: key.channelId }, event.cooldown, {
        exactly: true,
      });
      return onCooldown?.(event.cooldown);
    case "restriction":
      return recordRestriction(core, key, event.of, event.restriction);
    case "history":
      return;
    default:
      if (whole !== null) return recordLongText(core, key, { event, whole });
      return core.reports.add({ accountId: key.accountId, channelId: key.channelId, event });
  }
}

/** A messenger without polling gets an address even if it is unlikely to be reachable. */
function callbackUrlOf(
  { settings }: Base,
  { definition: { id, calledBack } }: RegisteredTransport,
  channelId: string,
): string | null {
  if (calledBack === undefined && !settings.callbacks) return null;
  return `${settings.publicUrl}/in/${id}${calledBack === "app" ? "" : `/${channelId}`}`;
}

function appCallbackUrlOf(
  { settings }: Base,
  { connector, definition: { id, calledBack } }: RegisteredTransport,
): string | null {
  if (connector.receiveForApp === undefined || (calledBack === undefined && !settings.callbacks)) return null;
  return `${settings.publicUrl}/in/${id}`;
}

/** One per channel, or per transport if its channels share an address. */
export function callbackSecretOf(
  { seal }: Base,
  { definition: { id, calledBack } }: RegisteredTransport,
  channelId: string,
): string {
  return seal.derive("callback", calledBack === "app" ? id : channelId).toString("hex");
}
