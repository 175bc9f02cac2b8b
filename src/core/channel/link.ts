import { sql } from "../../database/database.ts";
import { createHttpClient } from "../../platform/http-client.ts";
import type { Core } from "../core.ts";
import type { ChannelLink } from "../transport/connector.ts";
import type { LinkState, TransportEvent } from "../transport/events.ts";
import type { RegisteredTransport } from "../transport/registry.ts";
import { credentialsContext, stateContext } from "./credentials.ts";
import type { OwnedChannelKey } from "./link-state.ts";
import { redactDetails, redactor } from "./redact.ts";
import { channelVault } from "./vault.ts";

export interface LinkOptions {
  readonly key: OwnedChannelKey;
  readonly transport: RegisteredTransport;
  readonly sealedCredentials: Buffer;
  readonly signal: AbortSignal;
  /** Whether a request may be written now; without it always. */
  readonly mayLeave?: () => boolean;
  /** Receives what the session says of its connection. */
  onLinkState(state: LinkState): Promise<void>;
}

/** All that a connector may touch of one channel. */
export function createLink(core: Core, options: LinkOptions): ChannelLink<unknown, unknown> {
  const { key, transport, signal } = options;
  const { accountId, channelId } = key;
  const credentials = openCredentials(core, channelId, options.sealedCredentials);
  const redact = redactor(transport.definition, credentials);
  const log: ChannelLink["log"] = (level, message, details) => {
    if (level === "debug") core.log.debug({ channelId, ...details }, message);
    else
      core.channelLog.add({
        accountId,
        channelId,
        at: core.clock.now(),
        level,
        message: redact(message),
        ...(details === undefined ? {} : { details: redactDetails(details, redact) }),
      });
  };
  return {
    channelId,
    credentials,
    settings: transport.settings,
    callbackUrl: core.settings.callbacks
      ? `${core.settings.publicUrl}/in/${transport.definition.id}/${channelId}`
      : null,
    callbackSecret: core.seal.derive("callback", channelId).toString("hex"),
    state: channelState(core, key),
    vault: channelVault(core, key),
    mayAct: () => !signal.aborted && (options.mayLeave?.() ?? true),
    request: createHttpClient({
      redact,
      ...(options.mayLeave === undefined ? {} : { mayLeave: options.mayLeave }),
      onExchange(exchange) {
        if (signal.aborted || (exchange.status !== null && exchange.status < 400)) return;
        log("warn", "the messenger refused a request or did not answer", { ...exchange });
      },
    }),
    emit: (event: TransportEvent) =>
      event.kind === "link"
        ? options.onLinkState(event.state)
        : core.reports.add({ accountId, channelId, event }),
    log,
    signal,
  };
}

function openCredentials(core: Core, channelId: string, sealed: Buffer): Readonly<Record<string, unknown>> {
  return JSON.parse(core.seal.open(sealed, credentialsContext(channelId)).toString()) as Record<
    string,
    unknown
  >;
}

const GET = sql(
  "channel_state_get",
  "select value from channel_state where account_id = $1 and channel_id = $2 and key = $3",
);
/** Only the owner writes: a node that lost the channel must not overwrite what its successor stored. */
const SET = sql(
  "channel_state_set",
  `insert into channel_state (account_id, channel_id, key, value)
   select $1, $2, $3, $4 from channels where account_id = $1 and id = $2 and epoch = $5 and deleted_at is null
   on conflict (account_id, channel_id, key) do update set value = excluded.value`,
);
const UNSET = sql(
  "channel_state_unset",
  `delete from channel_state s using channels c
   where s.account_id = $1 and s.channel_id = $2 and s.key = $3 and c.account_id = $1 and c.id = $2 and c.epoch = $4`,
);

function channelState(core: Core, { accountId, channelId, epoch }: OwnedChannelKey): ChannelLink["state"] {
  return {
    async get(name) {
      const [row] = await core.db.query<{ value: Buffer }>(GET, [accountId, channelId, name]);
      return row === undefined ? null : core.seal.open(row.value, stateContext(channelId, name)).toString();
    },
    async set(name, value) {
      if (value === null) await core.db.query(UNSET, [accountId, channelId, name, epoch]);
      else
        await core.db.query(SET, [
          accountId,
          channelId,
          name,
          core.seal.seal(value, stateContext(channelId, name)),
          epoch,
        ]);
    },
  };
}
