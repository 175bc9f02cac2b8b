import { Type } from "typebox";
import type { Channel } from "../../../core/channel/channel.ts";
import { type HistoryView, MAX_HISTORY_DAYS } from "../../../core/channel/history.ts";
import { restrictionItem } from "../../../core/channel-restrictions.ts";
import { ALL_STATES, ALL_STATUSES, STATUSES } from "../../../core/channel-status.ts";
import { restrictions } from "../../../core/payload/v3-shapes.ts";
import { TIERS } from "../../../core/transport/definition.ts";
import { nullableString, strictObject, uuidText } from "../../schema/shapes.ts";

const reasons = [...new Set(ALL_STATUSES.map(({ reason }) => reason))];

/** The deprecated value for status and reason. */
export const channelState = Type.Unsafe<string>({
  type: "string",
  enum: [...ALL_STATES],
});

/** A channel in responses. */
export const channelShape = Type.Object(
  {
    channel_id: uuidText(),
    transport: Type.String(),
    state: channelState,
    status: Type.Unsafe<Channel["status"]>({ type: "string", enum: [...STATUSES] }),
    reason: Type.Unsafe<Channel["reason"]>({ type: ["string", "null"], enum: reasons }),
    phone: Type.String(),
    username: Type.String(),
    messenger_id: Type.String(),
    name: Type.String(),
    url: Type.Optional(Type.String()),
    proxy: Type.Optional(
      Type.String({
        description: "Scheme, host and port of the channel's own proxy; missing if it has none",
      }),
    ),
    tier: Type.Unsafe<string>({ type: "string", enum: [...TIERS] }),
    tariff: nullableString,
    restrictions,
  },
  { title: "Channel" },
);

/** In the interface's spelling. */
export function channelFields(channel: Channel) {
  return {
    channel_id: channel.id,
    transport: channel.transport,
    state: channel.state,
    status: channel.status,
    reason: channel.reason,
    phone: channel.phone,
    username: channel.username,
    messenger_id: channel.messengerId,
    name: channel.name,
    ...(channel.url === null ? {} : { url: channel.url }),
    ...(channel.proxyAddress === null ? {} : { proxy: channel.proxyAddress }),
    tier: channel.tier,
    tariff: channel.tariff,
    restrictions: channel.restrictions.map(restrictionItem),
  };
}

type Credentials = Readonly<Record<string, unknown>>;
/** The transport validates them. PHP writes an object without fields as a list. */
export const credentialsShape = Type.Unsafe<Credentials | readonly []>({
  type: ["object", "array"],
  maxItems: 0,
});

export function credentialsOf(given: Credentials | readonly []): Credentials {
  return Array.isArray(given) ? {} : (given as Credentials);
}

/** The proxy of a channel. */
export const proxyRequest = Type.String({
  maxLength: 2_048,
  description:
    "The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own",
});

/** Messages of the time before the channel is linked, to be imported. */
export const historyRequest = strictObject(
  {
    days: Type.Integer({
      minimum: 1,
      maximum: MAX_HISTORY_DAYS,
      description: "How many days before the channel is linked",
    }),
  },
  { title: "HistoryRequest", description: "Import earlier messages, as far as the messenger gives them" },
);

/** The state of an import. */
export const historyShape = Type.Object(
  {
    days: Type.Integer({ description: "As requested" }),
    status: Type.Unsafe<HistoryView["status"]>({
      type: "string",
      enum: ["waiting", "running", "done"],
      description: "waiting: the channel is not linked yet, or the messenger has given nothing so far",
    }),
    progress: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      description: "Percent; null if the messenger does not tell how much there is",
    }),
    messages: Type.Integer({ description: "Messages imported so far" }),
    is_cut: Type.Boolean({ description: "Whether it ended early, because the account's quota is used up" }),
  },
  { title: "HistoryImport", description: "The import of earlier messages; only if it was requested" },
);

export function historyFields({ isCut, ...view }: HistoryView) {
  return { ...view, is_cut: isCut };
}

/** `{id}` of a channel in a path. */
export const channelPath = Type.Object({ id: Type.String({ description: "Id of the channel" }) });
