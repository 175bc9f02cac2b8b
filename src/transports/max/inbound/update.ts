import {
  count,
  type Fields,
  fields,
  integerText,
  listOf,
  number,
  type Read,
  type Reader,
  text,
} from "../../../platform/foreign/foreign-json.ts";
import { isJson } from "../../kit/json.ts";
import { readChat, readContact } from "../people/profile.ts";

/** A poll option, which is either a string or an object. */
const choice: Reader<string> = (value) => text(value) ?? fields({ text, title: text })(value)?.text;

/** A telephone number; cards of the address book have it as people write it. Digits only. */
const phoneText: Reader<string> = (value) => {
  const digits = (integerText(value) ?? text(value))?.replace(/\D/g, "");
  return digits === "" ? undefined : digits;
};

const buttons = listOf(listOf(fields({ text, url: text })));

const attachment = fields({
  _type: text,
  baseUrl: text,
  url: text,
  /** Of an animated picture. */
  mp4Url: text,
  lottieUrl: text,
  photoId: integerText,
  videoId: integerText,
  audioId: integerText,
  fileId: integerText,
  token: text,
  name: text,
  size: count,
  duration: number,
  transcription: text,
  title: text,
  description: text,
  latitude: number,
  longitude: number,
  lat: number,
  lon: number,
  address: text,
  firstName: text,
  lastName: text,
  phone: phoneText,
  /** The person whom a contact is about. */
  contactId: integerText,
  vcfBody: text,
  hangupType: text,
  /** Of a group's call. */
  joinLink: text,
  question: text,
  answers: listOf(choice),
  options: listOf(choice),
  buttons,
  keyboard: fields({ buttons }),
  /** Present for `CONTROL`: the group change, or words of MAX itself. */
  event: text,
  message: text,
  shortMessage: text,
  userId: integerText,
  userIds: listOf(integerText),
});
export type MaxAttachment = Read<typeof attachment> & { readonly raw?: unknown };

/** An attachment, and all that came with it. */
const wholeAttachment: Reader<MaxAttachment> = (value) => {
  const read = attachment(value);
  return read && { ...read, raw: value };
};

/** A part of a text; `from` (absent: 0) and `length` in UTF-16 code units. */
const element = fields({
  type: text,
  from: count,
  length: count,
  entityName: text,
  attributes: fields({ url: text }),
});
export type MaxElement = Read<typeof element>;

const CONTENT = {
  id: integerText,
  cid: integerText,
  time: number,
  updateTime: number,
  sender: integerText,
  type: text,
  text,
  status: text,
  elements: listOf(element),
  attaches: listOf(wholeAttachment),
} as const;

/** The message that is forwarded or replied to. */
export interface MaxLinked {
  readonly type?: string | undefined;
  readonly messageId?: string | undefined;
  readonly message?: MaxMessage | undefined;
}
export interface MaxMessage extends Fields<typeof CONTENT> {
  readonly link?: MaxLinked | undefined;
}

/** Forwarded messages may contain others. */
const MAX_DEPTH = 10;

function messageReader(depth: number): Reader<MaxMessage> {
  return fields({ ...CONTENT, link: depth === 0 ? () => undefined : linkReader(depth) });
}

function linkReader(depth: number): Reader<MaxLinked> {
  return fields({ type: text, messageId: integerText, message: messageReader(depth - 1) });
}

const message = messageReader(MAX_DEPTH);

/** A message and those inside it. */
export function withForwarded(about: MaxMessage): readonly MaxMessage[] {
  const inside = about.link?.message;
  return inside === undefined ? [about] : [about, ...withForwarded(inside)];
}

export const readMessage = message;
export const readNewMessage = fields({ chatId: integerText, message });
export const readMark = fields({ chatId: integerText, userId: integerText, mark: number });
export const readRemoved = fields({
  chatId: integerText,
  messageIds: listOf(integerText),
  messageId: integerText,
});
export const readContactChanged = fields({ contact: readContact });
export const readChatChanged = fields({ chat: readChat });
export const readReady = fields({ fileId: integerText, videoId: integerText, audioId: integerText });

/** The raw messages of a history; each is parsed separately. */
export function messagesIn(answer: unknown): readonly unknown[] {
  const list = isJson(answer) ? answer["messages"] : undefined;
  return Array.isArray(list) ? list : [];
}
