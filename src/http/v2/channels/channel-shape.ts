import { Type } from "typebox";
import type { Channel } from "../../../core/channel/channel.ts";
import { ALL_STATES, ALL_STATUSES, STATUSES } from "../../../core/channel/status.ts";
import { TIERS } from "../../../core/transport/definition.ts";
import { nullableString } from "../../schema/shapes.ts";

const reasons = [...new Set(ALL_STATUSES.map(({ reason }) => reason))];

/** The deprecated value for status and reason. */
export const channelState = Type.Unsafe<string>({
  type: "string",
  enum: [...ALL_STATES],
});

/** A channel in responses. */
export const channelShape = Type.Object({
  channel_id: Type.String(),
  transport: Type.String(),
  state: channelState,
  status: Type.Unsafe<Channel["status"]>({ type: "string", enum: [...STATUSES] }),
  reason: Type.Unsafe<Channel["reason"]>({ type: ["string", "null"], enum: reasons }),
  phone: Type.String(),
  username: Type.String(),
  messenger_id: Type.String(),
  name: Type.String(),
  url: Type.Optional(Type.String()),
  tier: Type.Unsafe<string>({ type: "string", enum: [...TIERS] }),
  tariff: nullableString,
});

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
    tier: channel.tier,
    tariff: channel.tariff,
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

/** `{id}` of a channel in a path. */
export const channelPath = Type.Object({ id: Type.String({ description: "Id of the channel" }) });
