import {
  count,
  fields,
  integerText,
  listOf,
  number,
  type Read,
  type Reader,
  text,
} from "../../../platform/foreign/foreign-json.ts";
import { isJson } from "../../kit/json.ts";
import { readChat } from "../people/profile.ts";

/** A poll option, which is either a string or an object. */
const choice: Reader<string> = (value) => text(value) ?? fields({ text, title: text })(value)?.text;

const attachment = fields({
  _type: text,
  baseUrl: text,
  url: text,
  lottieUrl: text,
  photoId: integerText,
  videoId: integerText,
  audioId: integerText,
  fileId: integerText,
  token: text,
  name: text,
  size: count,
  duration: number,
  title: text,
  description: text,
  latitude: number,
  longitude: number,
  firstName: text,
  lastName: text,
  phone: integerText,
  /** The person whom a contact is about. */
  contactId: integerText,
  vcfBody: text,
  hangupType: text,
  question: text,
  answers: listOf(choice),
  options: listOf(choice),
  /** Present for `CONTROL`: the group change. */
  event: text,
  userId: integerText,
  userIds: listOf(integerText),
});
export type MaxAttachment = Read<typeof attachment>;

const SHAPE = {
  id: integerText,
  cid: integerText,
  time: number,
  updateTime: number,
  sender: integerText,
  text,
  status: text,
  attaches: listOf(attachment),
} as const;

const quoted = fields(SHAPE);
const message = fields({
  ...SHAPE,
  link: fields({ type: text, messageId: integerText, message: quoted }),
});
export type MaxMessage = Read<typeof message>;
export type MaxQuoted = Read<typeof quoted>;

export const readMessage = message;
export const readNewMessage = fields({ chatId: integerText, message });
export const readMark = fields({ chatId: integerText, userId: integerText, mark: number });
export const readRemoved = fields({
  chatId: integerText,
  messageIds: listOf(integerText),
  messageId: integerText,
});
export const readChatChanged = fields({ chat: readChat });
export const readReady = fields({ fileId: integerText, videoId: integerText, audioId: integerText });

/** The raw messages of a history; each is parsed separately. */
export function messagesIn(answer: unknown): readonly unknown[] {
  const list = isJson(answer) ? answer["messages"] : undefined;
  return Array.isArray(list) ? list : [];
}
