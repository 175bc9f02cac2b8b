import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { claimChannel, type HasLinkSessions } from "../channel/channels.ts";
import { isGenuine, readCode } from "../channel/link/codes.ts";
import { exitOf } from "../channel/proxy/route.ts";
import { redactor } from "../channel-log/redact.ts";
import { AppError } from "../errors.ts";
import { LogThrottle } from "../log-throttle.ts";
import type { AppChannel, AppLink, ChannelLink } from "../transport/connector.ts";
import { type RegisteredTransport, requestOf } from "../transport/registry.ts";
import type { HasCallbackBudgets } from "./callback/callback-budgets.ts";
import {
  type HasCallbackChannels,
  movedTo,
  NAMED_COLUMNS,
  type NamedChannel,
} from "./callback/callback-channels.ts";
import { budgetKeysOf, meteredCallbackLink, waitSeconds } from "./callback/callback-limits.ts";
import { callbackSecretOf, type LinkCore } from "./link.ts";

const FIND_BY_CODE = sql(
  "channel_by_code",
  `select ${NAMED_COLUMNS.join(", ")}, ${movedTo("channels.account_id")} as moved_to from channels where id = $1 and transport = $2 and deleted_at is null`,
);
const BIND = sql(
  "app_binding_set",
  `insert into app_bindings (transport, key, account_id, channel_id)
   select $1, $2, account_id, id from channels where id = $3 and transport = $1 and deleted_at is null
   on conflict (transport, key) do update set account_id = excluded.account_id, channel_id = excluded.channel_id`,
);
const BOUND = sql(
  "app_bindings_get",
  `with b as materialized (
     select key, account_id, channel_id from app_bindings where transport = $1 and key = any($2)
   )
   select b.key, ${NAMED_COLUMNS.map((column) => `c.${column}`).join(", ")}, ${movedTo("c.account_id")} as moved_to
   from b join channels c on c.account_id = any(array[b.account_id]) and c.id = any(array[b.channel_id])
   where c.deleted_at is null`,
);

/** Anyone can call, and connectors log rejected calls. */
const REPEATS_AFTER_MS = 600_000;

/** What app links have logged lately, on this node. */
export interface HasAppLinkLog {
  readonly appLinkLog: LogThrottle;
}

export function createAppLinkLog(): LogThrottle {
  return new LogThrottle({ maxEntries: 100, ttlMs: REPEATS_AFTER_MS });
}

export type AppLinkCore = LinkCore &
  HasCallbackBudgets &
  HasCallbackChannels &
  HasLinkSessions &
  HasAppLinkLog;

/**
 * The functions of core available to a connector before a call is assigned to a channel. Channels whose account has moved
 * are unknown; the addresses of their cells are added to `elsewhere`.
 */
export function createAppLink(
  core: AppLinkCore,
  transport: RegisteredTransport,
  elsewhere: Set<string>,
): AppLink<ChannelLink> {
  const { id } = transport.definition;
  const redact = redactor(transport, {});
  const rows = new WeakMap<AppChannel<ChannelLink>, NamedChannel>();
  const channelOf = (row: NamedChannel): AppChannel<ChannelLink> => {
    const channel = {
      messengerId: row.messenger_id ?? "",
      businessId: row.business_id,
      phone: row.phone,
      link: meteredCallbackLink(core, transport, row),
    };
    rows.set(channel, row);
    return channel;
  };
  const isHere = ({ moved_to }: NamedChannel): boolean => {
    if (moved_to !== null) elsewhere.add(moved_to);
    return moved_to === null;
  };
  const withCode = async (code: string) => {
    const found = await findByCode(core, id, code);
    return found !== null && isHere(found.row) ? found : null;
  };
  return {
    settings: transport.settings,
    callbackSecret: callbackSecretOf(core, transport, ""),
    request: requestOf(transport, {
      redact,
      allowNetworks: core.settings.allowNetworks,
      // Not of one channel: with a pool, always the same exit.
      proxy: exitOf(core.settings, { id: "", transport: id }),
    }),
    log: (level, message, details) => {
      const isFirst = core.appLinkLog.shouldLog(`${id} ${message}`);
      core.log[isFirst ? level : "debug"]({ transport: id, ...details }, message);
    },
    find: async (ids) => (await core.callbackChannels.named(id, ids)).filter(isHere).map(channelOf),
    mayTake(channel) {
      const row = rows.get(channel);
      return row !== undefined && waitSeconds(core, row) === 0;
    },
    spend(channel, cost) {
      const row = rows.get(channel);
      if (row !== undefined) for (const key of budgetKeysOf(row)) core.callbackBudgets.spend(key, cost);
    },
    async byCode(code) {
      const found = await withCode(code);
      return found === null ? null : { kind: found.kind, channel: channelOf(found.row) };
    },
    async claim(code, verified) {
      const found = await withCode(code);
      if (found?.kind !== "claim") return { refusal: "This code is invalid or already used" };
      const { row } = found;
      const key = { accountId: row.account_id, channelId: row.id, sealedCredentials: row.credentials };
      try {
        await claimChannel(core, key, verified as Parameters<typeof claimChannel>[2]);
        return { profile: verified.profile };
      } catch (error) {
        if (error instanceof AppError) return { refusal: error.message };
        throw error;
      }
    },
    reportUnknown(kind) {
      void core.unknownReports.add({ transport: id, kind, sample: null, redact });
    },
    bind: async (key, { link }) => void (await core.db.query(BIND, [id, key, link.channelId])),
    async bound(keys) {
      const rows = await core.db.query<NamedChannel & { key: string }>(BOUND, [id, keys]);
      return new Map(rows.filter(isHere).map((row) => [row.key, channelOf(row)]));
    },
  };
}

/** Null: no channel of this transport has such a code. */
async function findByCode(core: Base, transport: string, code: string) {
  const read = readCode(code);
  if (read === null) return null;
  const [row] = await core.db.query<NamedChannel>(FIND_BY_CODE, [read.channelId, transport]);
  return row !== undefined && isGenuine(core, code, row.credentials) ? { kind: read.kind, row } : null;
}
