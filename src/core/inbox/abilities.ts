import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { Channel } from "../channel/channel.ts";
import { CHANNEL_COLUMNS, type ChannelRow, channelOf } from "../channel/channel.ts";
import { type RestrictionItem, restrictionItem } from "../channel-restrictions.ts";
import { MAX_FILE_BYTES } from "../content.ts";
import { AppError } from "../errors.ts";
import {
  type Capabilities,
  CHAT_TYPE_TRAITS,
  type ChatMark,
  type ChatTypeTraits,
  type MediaKind,
  type TransportDefinition,
} from "../transport/definition.ts";
import { reachChat } from "./chat-list.ts";
import type { InboxSession } from "./reach.ts";

/** What an employee can do in a chat, by the transport's definition and the channel's state. */
export interface Abilities {
  readonly can_send: boolean;
  readonly why_not: Obstacle | null;
  readonly channel: { readonly status: string; readonly reason: string | null } | null;
  readonly text: { readonly max_length: number; readonly max_length_with_buttons: number };
  /** `max_caption_length`: of a text in the same message; null: a text has to be a message of its own. */
  readonly media: Readonly<
    Partial<Record<MediaKind, { readonly max_bytes: number; readonly max_caption_length: number | null }>>
  >;
  /** How a recording of the page is sent: as a voice note, as a WAV file, or not at all. */
  readonly recordings: "voice_notes" | "wav_files" | null;
  readonly quote: boolean;
  readonly edit: { readonly parts: ("text" | "attachment")[] } | null;
  readonly delete: boolean;
  /** What can be shown to the people of the chat. */
  readonly marks: ChatMark[];
  readonly keyboard: Capabilities["keyboard"];
  readonly max_payload_length: number | null;
  readonly templates: boolean;
  /** The reply window; null: there is none. While it is closed, only templates are accepted. */
  readonly window: {
    readonly ends_at: string | null;
    readonly is_open: boolean;
    readonly code: "24_HOURS_EXCEEDED" | "7_DAYS_EXCEEDED";
  } | null;
}

export const OBSTACLES = [
  "channel_deleted",
  "channel_inactive",
  "not_enough_money",
  "blocked",
  "rejected",
] as const;
type Obstacle = (typeof OBSTACLES)[number];

const CHANNEL = sql(
  "inbox_channel",
  `select ${CHANNEL_COLUMNS} from channels where account_id = $1 and id = $2 and deleted_at is null`,
);
const DIRECT = sql(
  "inbox_last_direct",
  "select last_direct_at as at from chats where account_id = $1 and id = $2",
);

/** Throws CHAT_NOT_FOUND. */
export async function getAbilities(core: Base, session: InboxSession, chat: string): Promise<Abilities> {
  const row = await reachChat(core, session, chat);
  const { accountId } = session.scope;
  const [[found], [direct]] = await Promise.all([
    core.db.query<ChannelRow>(CHANNEL, [accountId, row.channel_id]),
    core.db.query<{ at: Date | null }>(DIRECT, [accountId, chat]),
  ]);
  const channel = found === undefined ? null : channelOf(found);
  const definition = core.transports.get(row.transport)?.definition;
  if (definition === undefined) throw new AppError("TRANSPORT_NOT_AVAILABLE");
  return abilitiesOf(definition, { channel, lastDirectAt: direct?.at ?? null, now: core.clock.now() });
}

export function abilitiesOf(
  { capabilities }: TransportDefinition,
  {
    channel,
    lastDirectAt,
    now,
  }: { readonly channel: Channel | null; readonly lastDirectAt: Date | null; readonly now: Date },
): Abilities {
  const { text, withButtons, media } = capabilities;
  const obstacle = obstacleOf(channel);
  return {
    can_send: obstacle === null,
    why_not: obstacle,
    channel: channel === null ? null : { status: channel.status, reason: channel.reason },
    text: {
      max_length: text.maxLength,
      max_length_with_buttons: Math.min(text.maxLength, withButtons?.maxTextLength ?? text.maxLength),
    },
    media: Object.fromEntries(
      Object.entries(media).map(([kind, { maxBytes, maxCaptionLength = null }]) => [
        kind,
        { max_bytes: Math.min(maxBytes, MAX_FILE_BYTES), max_caption_length: maxCaptionLength },
      ]),
    ),
    recordings:
      media.audio === undefined ? null : capabilities.voiceNotes === undefined ? "wav_files" : "voice_notes",
    quote: capabilities.quote,
    edit: capabilities.edit === null ? null : { parts: [...capabilities.edit.parts] },
    delete: capabilities.remove !== null,
    marks: [...(capabilities.marks ?? [])],
    keyboard: capabilities.keyboard,
    max_payload_length: withButtons?.maxPayloadLength ?? null,
    templates: capabilities.templates,
    window: windowOf(capabilities, lastDirectAt, now),
  };
}

export function obstacleOf(channel: Pick<Channel, "status" | "reason"> | null): Obstacle | null {
  if (channel === null) return "channel_deleted";
  if (channel.status === "active" || channel.reason === "proxy") return null;
  const { reason } = channel;
  return reason === "not_enough_money" || reason === "blocked" || reason === "rejected"
    ? reason
    : "channel_inactive";
}

/** Whether a person who never wrote to this channel can be reached is unknown, unless the transport has templates. */
function windowOf(
  { replyWindow, templates }: Capabilities,
  lastDirectAt: Date | null,
  now: Date,
): Abilities["window"] {
  if (replyWindow === undefined) return null;
  const { code, ms } = replyWindow;
  if (lastDirectAt === null) return { ends_at: null, is_open: !templates, code };
  const end = new Date(lastDirectAt.getTime() + ms);
  return { ends_at: end.toISOString(), is_open: now < end, code };
}

/** A channel through which employees can write. */
export interface ChannelView {
  readonly channel_id: string;
  readonly transport: string;
  readonly name: string;
  readonly phone: string;
  readonly username: string;
  readonly status: Channel["status"];
  readonly reason: Channel["reason"];
  readonly restrictions: RestrictionItem[];
  readonly can_send: boolean;
  /** How a person without a chat is addressed; null: that is not possible. */
  readonly new_chat: {
    readonly chat_type: string;
    readonly address_by: ("phone" | "username")[];
  } | null;
}

const CHANNELS = sql(
  "inbox_channels",
  `select ${CHANNEL_COLUMNS} from channels
   where account_id = $1 and deleted_at is null and id = any(coalesce($2::uuid[], array[id])) order by created_at, id`,
);

/** The account's channels, or those with these ids, oldest first. */
export async function listChannels(
  core: Base,
  { scope: { accountId } }: Pick<InboxSession, "scope">,
  ids: readonly string[] | null = null,
): Promise<ChannelView[]> {
  const rows = await core.db.query<ChannelRow>(CHANNELS, [accountId, ids]);
  return rows.map((row) => channelView(core, channelOf(row)));
}

function channelView(core: Base, channel: Channel): ChannelView {
  const { id, transport, name, phone, username, status, reason } = channel;
  const definition = core.transports.get(transport)?.definition;
  return {
    channel_id: id,
    transport,
    name,
    phone,
    username,
    status,
    reason,
    restrictions: channel.restrictions.map(restrictionItem),
    can_send: obstacleOf(channel) === null,
    new_chat: definition === undefined ? null : newChatOf(definition),
  };
}

/**
 * For the transport's first type of private chat. If its chats are named by phone numbers, a chat can be started by
 * number if the messenger resolves numbers or has templates. Pure.
 */
export function newChatOf({ chatTypes, capabilities }: TransportDefinition): ChannelView["new_chat"] {
  const chatType = chatTypes.find((type) => !CHAT_TYPE_TRAITS[type].group);
  if (chatType === undefined) return null;
  const { idForm, addressBy }: ChatTypeTraits = CHAT_TYPE_TRAITS[chatType];
  const byMessenger = capabilities.addressBy.filter((way) => way !== "chatId");
  const ways =
    idForm === "phone"
      ? byMessenger.includes("phone") || capabilities.templates
        ? ["phone" as const]
        : []
      : byMessenger.filter((way) => addressBy.includes(way));
  return ways.length === 0 ? null : { chat_type: chatType, address_by: ways };
}
