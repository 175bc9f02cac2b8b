import { type TSchema, Type } from "typebox";
import { OBSTACLES } from "../../../core/inbox/abilities.ts";
import { ENTRY_KINDS } from "../../../core/inbox/entries.ts";
import { PROPOSAL_STATES, type ProposalState } from "../../../core/inbox/proposal-view.ts";
import { MESSAGE_STATUSES, MESSAGE_TYPES, messageExtras } from "../../../core/transport/message.ts";
import { snakeShapes } from "../../../platform/foreign/schema.ts";
import { nullableString, uuidText } from "../../schema/shapes.ts";
import { channelShape } from "../../v2/channels/channel-shape.ts";

const text = Type.String();
const flag = Type.Boolean();
const count = Type.Integer();
const time = Type.String({ description: "UTC, as in ISO 8601" });
const or = <T extends TSchema>(shape: T) => Type.Union([shape, Type.Null()]);
const one = <T extends string>(values: readonly T[]) => Type.Unsafe<T>({ type: "string", enum: [...values] });

const direction = one(["in", "out", "echo"]);
const type = one(MESSAGE_TYPES);
const status = one(MESSAGE_STATUSES);
const media = one(["image", "audio", "video", "document"]);

export const colleagueShape = Type.Object({ id: text, name: nullableString });

export const chatShape = Type.Object({
  id: Type.String({ description: "Our id of the chat" }),
  channel_id: uuidText(),
  transport: text,
  chat_type: text,
  messenger_chat_id: text,
  is_group: flag,
  name: Type.String({ description: "The best name known; never empty" }),
  username: nullableString,
  phone: nullableString,
  avatar_url: nullableString,
  last_at: Type.String({ description: "Orders the list, the latest first" }),
  last_message: or(
    Type.Object({
      id: text,
      at: time,
      direction,
      type,
      status,
      text: { ...nullableString, description: "Its first 200 characters" },
      author_name: nullableString,
      is_deleted: flag,
    }),
  ),
  unanswered: Type.Integer({ description: "The client's unanswered messages of the last seven days" }),
  unread: Type.Integer({
    description: "Those of them that this employee has not seen, and proposed messages likewise",
  }),
  failed: Type.Boolean({ description: "The last message is outgoing and could not be sent" }),
  marked_unread: Type.Boolean({
    description:
      "The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since",
  }),
  pinned_at: {
    ...nullableString,
    description: "Since when the employee has it at the top; null: not pinned",
  },
  assignee: {
    ...or(colleagueShape),
    description: "Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody",
  },
  snoozed_until: { ...nullableString, description: "Until when it is snoozed for everybody" },
  proposed_until: {
    ...nullableString,
    description: "Until when a message that a program proposes waits for approval; null: none waits",
  },
});

/** What employees noted on the person of a chat. */
export const cardShape = Type.Object({
  name: Type.String({
    description: "What the person is called on the pages and in webhooks; empty: as in the messenger",
  }),
  phone: Type.String({ description: "Digits, with the country code; empty: not known" }),
  email: text,
  comment: text,
  changed_at: or(time),
  changed_by: { ...or(colleagueShape), description: "The employee who changed it last" },
});

const proposalShape = Type.Object({
  state: Type.Unsafe<ProposalState>({
    type: "string",
    enum: [...PROPOSAL_STATES],
    description: "sent: the message has a status of its own",
  }),
  token: Type.Object({ id: text, hint: Type.String({ description: "Last characters of the token" }) }),
  expires_at: time,
  is_template: Type.Boolean({ description: "A template, which cannot be changed" }),
  quoted_id: nullableString,
  decided_by: or(colleagueShape),
  decided_at: or(time),
  proposed_text: { ...nullableString, description: "What was proposed, if the employee has changed it" },
  message_id: { ...nullableString, description: "The message that became of it" },
  error: { ...nullableString, description: "Why it could not be sent" },
});

/** A line of a conversation that only employees see. */
export const entryShape = Type.Object({
  id: text,
  chat_id: text,
  kind: one(ENTRY_KINDS),
  order: Type.String({ description: "Sort key of a thread, as that of messages" }),
  at: time,
  author: colleagueShape,
  text: Type.String({
    description: "Of a note, empty once it is deleted; or of a proposed message",
  }),
  from: { ...or(colleagueShape), description: "Of an assignment: who it was before; null: nobody" },
  to: { ...or(colleagueShape), description: "Of an assignment: who it is now; null: nobody" },
  until: { ...nullableString, description: "Of a snooze: until when; null: it was ended" },
  proposal: { ...or(proposalShape), description: "Of a message that a program proposes" },
  edited_at: or(time),
  deleted_at: or(time),
});

export const messageShape = Type.Object({
  id: text,
  chat_id: text,
  channel_id: uuidText(),
  client_id: { ...nullableString, description: "The id that the writing page gave it" },
  order: Type.String({
    description: "Sort key of a thread, compared as text; messages with equal keys are sorted by id",
  }),
  at: time,
  direction,
  type,
  status,
  error: or(Type.Object({ code: text, description: text })),
  text: nullableString,
  unsupported: { ...nullableString, description: "The kind of an unsupported message, such as poll" },
  file: or(
    Type.Object({
      url: text,
      name: nullableString,
      mime_type: nullableString,
      size: or(count),
      kind: media,
      is_external: Type.Boolean({ description: "It is on another host" }),
      state: one(["waiting", "stored", "failed"]),
    }),
  ),
  author: or(Type.Object({ id: nullableString, name: nullableString })),
  from_app: flag,
  sender: or(Type.Object({ id: text, name: text })),
  buttons: Type.Array(
    Type.Object({
      type: text,
      text: Type.Optional(text),
      payload: Type.Optional(text),
      url: Type.Optional(text),
    }),
  ),
  quoted: or(
    Type.Object({
      id: nullableString,
      type,
      text: nullableString,
      author_name: nullableString,
      direction: or(direction),
      file_url: nullableString,
      unsupported: {
        ...nullableString,
        description: "The kind of an unsupported message, such as `story`, if known",
      },
      link: { ...nullableString, description: "Where a browser shows it, maybe for a time only" },
    }),
  ),
  ...snakeShapes(messageExtras),
  template: or(
    Type.Object({
      id: text,
      values: Type.Array(text),
      header: nullableString,
      body: nullableString,
      footer: nullableString,
      buttons: Type.Array(text),
    }),
  ),
  reactions: Type.Array(
    Type.Object({
      emoji: text,
      name: Type.String({ description: "Of the person; empty for the channel's own" }),
      is_ours: flag,
    }),
    { description: "One for each person, at most 50" },
  ),
  edited_at: or(time),
  deleted_at: or(time),
  old: or(
    Type.Object({
      text: nullableString,
      author_id: nullableString,
      author_name: nullableString,
      file_url: { ...nullableString, description: "The file that an edit replaced" },
    }),
  ),
  can_edit_until: { ...nullableString, description: "null: it cannot be edited, or no longer" },
  can_edit_file: flag,
  can_delete: flag,
  can_resend: flag,
  can_react: flag,
});

export const writtenShape = Type.Object({ message: messageShape, chat: chatShape });

export const channelViewShape = Type.Object({
  channel_id: uuidText(),
  transport: text,
  name: text,
  phone: text,
  username: text,
  status: channelShape.properties.status,
  reason: channelShape.properties.reason,
  restrictions: channelShape.properties.restrictions,
  can_send: flag,
  new_chat: or(Type.Object({ chat_type: text, address_by: Type.Array(one(["phone", "username"])) })),
});

const limit = Type.Object({
  max_bytes: count,
  max_caption_length: or(
    Type.Integer({
      description: "Of a text in the same message; null: a text has to be a message of its own",
    }),
  ),
});
export const abilitiesShape = Type.Object({
  can_send: flag,
  why_not: or(one(OBSTACLES)),
  channel: or(Type.Object({ status: text, reason: nullableString })),
  text: Type.Object({ max_length: count, max_length_with_buttons: count }),
  media: Type.Object({
    image: Type.Optional(limit),
    audio: Type.Optional(limit),
    video: Type.Optional(limit),
    document: Type.Optional(limit),
  }),
  recordings: or(one(["voice_notes", "wav_files"])),
  quote: flag,
  edit: or(Type.Object({ parts: Type.Array(one(["text", "attachment"])) })),
  delete: flag,
  marks: Type.Array(one(["read", "typing"]), {
    description: "What can be shown to the people of the chat",
  }),
  keyboard: or(one(["interactive", "markup", "rows"])),
  max_payload_length: or(count),
  templates: flag,
  window: or(
    Type.Object({
      ends_at: nullableString,
      is_open: flag,
      code: one(["24_HOURS_EXCEEDED", "7_DAYS_EXCEEDED"]),
    }),
  ),
});

export const templateShape = Type.Object({
  id: text,
  name: text,
  language: text,
  category: text,
  header: or(Type.Object({ format: text, text: nullableString })),
  body: text,
  footer: nullableString,
  buttons: Type.Array(Type.Object({ type: text, text, url: Type.Optional(text) })),
  variables: Type.Integer({ description: "Number of values" }),
});

const entity = {
  id: text,
  name: text,
  uri: nullableString,
  responsible: or(Type.Object({ id: text, name: nullableString })),
};
export const clientShape = Type.Object({
  contact: or(Type.Object(entity)),
  deals: Type.Array(Type.Object({ ...entity, closed: flag })),
  can_create_deal: flag,
  is_asked: flag,
});
