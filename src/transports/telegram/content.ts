import {
  count,
  fields,
  flag,
  integerText,
  listOf,
  number,
  type Read,
  type Reader,
  text,
} from "../../platform/foreign/foreign-json.ts";
import { isJson, type Json } from "../kit/json.ts";

// The fields of a message's content that the connector uses (Bot API, `Message`).

const named = {
  id: integerText,
  username: text,
  title: text,
  first_name: text,
  last_name: text,
};
export const user = fields(named);
export const chat = fields({ ...named, type: text, is_forum: flag, is_direct_messages: flag });
export const story = fields({ id: integerText, chat });

const FILE = {
  file_id: text,
  file_name: text,
  mime_type: text,
  file_size: count,
  is_video: flag,
  is_animated: flag,
  performer: text,
  title: text,
};
export const file = fields(FILE);
const livePhoto = fields({ ...FILE, photo: listOf(file) });
const place = fields({ latitude: number, longitude: number });
const venue = fields({ title: text, address: text, location: place });

export const entities = listOf(fields({ type: text, offset: number, length: number, url: text }));
/** Any object. */
const object: Reader<Json> = (value) => (isJson(value) ? value : undefined);

/** Files, which messages, polls and parts of rich messages have. */
const ATTACHED = {
  photo: listOf(file),
  live_photo: livePhoto,
  animation: file,
  video: file,
  video_note: file,
  voice: file,
  voice_note: file,
  audio: file,
  sticker: file,
  document: file,
};
export const attached = fields({ ...ATTACHED, location: place, venue, link: fields({ url: text }) });

const checklistTask = fields({
  id: integerText,
  text,
  text_entities: entities,
  completion_date: number,
  completed_by_user: user,
  completed_by_chat: chat,
});
const checklist = fields({ title: text, title_entities: entities, tasks: listOf(checklistTask) });
const pollOption = fields({ persistent_id: text, text, text_entities: entities, media: attached });
const poll = fields({
  question: text,
  question_entities: entities,
  options: listOf(pollOption),
  description: text,
  description_entities: entities,
  media: attached,
  explanation: text,
  explanation_entities: entities,
  explanation_media: attached,
});
const giveaway = fields({
  chats: listOf(chat),
  chat,
  winners: listOf(user),
  winner_count: number,
  prize_description: text,
  prize_star_count: number,
  premium_subscription_month_count: number,
});

/** Content without a counterpart in the interface. */
const UNSUPPORTED = {
  paid_media: fields({ star_count: number, paid_media: listOf(attached) }),
  poll,
  dice: fields({ emoji: text, value: number }),
  game: fields({ title: text, description: text, text, text_entities: entities }),
  invoice: fields({ title: text, description: text, currency: text, total_amount: number }),
  story,
  checklist,
  giveaway,
  giveaway_winners: giveaway,
};
export const UNSUPPORTED_KINDS = Object.keys(UNSUPPORTED) as readonly (keyof typeof UNSUPPORTED)[];

/** The fields common to a message and to a reply from another chat. */
export const CONTENT = {
  ...ATTACHED,
  ...UNSUPPORTED,
  text,
  entities,
  caption: text,
  caption_entities: entities,
  rich_message: object,
  location: place,
  venue,
  contact: fields({
    phone_number: text,
    first_name: text,
    last_name: text,
    user_id: integerText,
    vcard: text,
  }),
};
const content = fields(CONTENT);

/** The fields that make a message: of one without any of them nothing is reported. */
export const CONTENT_FIELDS: readonly string[] = Object.keys(CONTENT).filter(
  (name) => !name.endsWith("entities"),
);

const giftInfo = fields({ text, entities });
const money = { currency: text, total_amount: number };

/** Service messages that hold words of a person, or what a person chose or paid. */
export const NOTICES = {
  web_app_data: fields({ data: text, button_text: text }),
  users_shared: fields({ users: listOf(fields({ ...named, user_id: integerText, photo: listOf(file) })) }),
  chat_shared: fields({ ...named, chat_id: integerText, photo: listOf(file) }),
  successful_payment: fields({ ...money, invoice_payload: text, order_info: object }),
  refunded_payment: fields({ ...money, invoice_payload: text }),
  gift: giftInfo,
  gift_upgrade_sent: giftInfo,
  unique_gift: fields({ text, entities, gift: fields({ base_name: text, number: integerText, name: text }) }),
  passport_data: fields({ data: listOf(fields({ type: text, phone_number: text, email: text })) }),
  checklist_tasks_done: fields({
    checklist_message: fields({ checklist }),
    marked_as_done_task_ids: listOf(integerText),
    marked_as_not_done_task_ids: listOf(integerText),
  }),
  checklist_tasks_added: fields({ tasks: listOf(checklistTask) }),
  poll_option_added: fields({ option_text: text, option_text_entities: entities }),
  poll_option_deleted: fields({ option_text: text, option_text_entities: entities }),
  suggested_post_declined: fields({ comment: text }),
};
export const NOTICE_KINDS = Object.keys(NOTICES) as readonly (keyof typeof NOTICES)[];
const notices = fields(NOTICES);

export type TgUser = Read<typeof user>;
export type TgChat = Read<typeof chat>;
export type TgFile = Read<typeof file>;
export type TgEntities = Read<typeof entities>;
export type TgAttached = Read<typeof attached>;
export type TgChecklistTask = Read<typeof checklistTask>;
export type TgContent = Read<typeof content>;
export type TgNotices = Read<typeof notices>;
