import type { proto } from "baileys";
import { listOf, text } from "../../../platform/foreign/foreign-json.ts";
import { joined, linked } from "../../kit/words.ts";
import { linesOfButtons, readBusinessMessage, readTemplate } from "./business.ts";
import { amountOf, geo, type MessageContent, media, readFile, timeOf, unsupported, words } from "./parts.ts";
import {
  cardOf,
  inviteOf,
  press,
  readAnswer,
  readEvent,
  readInvoice,
  readList,
  readOrder,
  readPoll,
  readProduct,
  readResult,
  readRichResponse,
  readSticker,
  textOf,
} from "./readers.ts";

type Message = proto.IMessage;
type Part<K extends keyof Message> = NonNullable<Message[K]>;

/**
 * How a field of a message is read: `words` or a file for a person; `wrapper`: the content is inside, in `message`;
 * `silent`: it has nothing to show (keys, changes of what the interface does not have); `elsewhere`: it is not the body
 * of a message, and `readContent` reads it.
 */
type Kind<K extends keyof Message> =
  | ((part: Part<K>, read: ReadInner) => MessageContent | null)
  | "wrapper"
  | "silent"
  | "elsewhere";
/** Reads a message inside another. */
export type ReadInner = (message: Message | null | undefined) => MessageContent | null;

/** All fields of `Message`: a new one of the library does not compile until it is decided here. */
export const KINDS: { readonly [K in keyof Required<Message>]: Kind<K> } = {
  conversation: words,
  extendedTextMessage: (part) => words(part.text),

  imageMessage: (part) => media("image", "image", part),
  videoMessage: (part) => media("video", "video", part),
  ptvMessage: (part) => media("video", "video", part),
  audioMessage: (part) => media("audio", part.ptt === true ? "ptt" : "audio", part),
  documentMessage: (part) => media("document", "document", part),
  stickerMessage: readSticker,
  invoiceMessage: readInvoice,
  stickerPackMessage: ({ name, publisher, packDescription, caption }) =>
    unsupported("sticker pack", [name, publisher, packDescription, caption]),

  locationMessage: geo,
  liveLocationMessage: geo,
  contactMessage: (part) => ({ body: { type: "vcard", vcard: cardOf(part) ?? "" } }),
  contactsArrayMessage: ({ contacts }) => ({
    body: { type: "vcard", vcard: (listOf(cardOf)(contacts) ?? []).join("\n") },
  }),

  templateMessage: readTemplate,
  highlyStructuredMessage: ({ hydratedHsm, params }) =>
    (hydratedHsm == null ? null : readTemplate(hydratedHsm)) ??
    words(joined(listOf(text)(params) ?? [])) ??
    unsupported("template"),
  buttonsMessage: ({ text: title, contentText, footerText, buttons, ...header }) =>
    readFile(header, [title, contentText, footerText, ...linesOfButtons(buttons)]) ?? unsupported("buttons"),
  listMessage: readList,
  interactiveMessage: readBusinessMessage,
  productMessage: readProduct,
  orderMessage: readOrder,

  buttonsResponseMessage: ({ selectedDisplayText, selectedButtonId }) =>
    press(selectedDisplayText, selectedButtonId) ?? unsupported("button"),
  templateButtonReplyMessage: ({ selectedDisplayText, selectedId }) =>
    press(selectedDisplayText, selectedId) ?? unsupported("button"),
  listResponseMessage: ({ title, singleSelectReply, description }) =>
    press(title, singleSelectReply?.selectedRowId, description) ?? unsupported("list"),
  interactiveResponseMessage: readAnswer,

  pollCreationMessage: readPoll,
  pollCreationMessageV2: readPoll,
  pollCreationMessageV3: readPoll,
  pollCreationMessageV4: "wrapper",
  pollCreationMessageV5: readPoll,
  pollCreationOptionImageMessage: "wrapper",
  pollResultSnapshotMessage: readResult,
  pollResultSnapshotMessageV3: readResult,
  pollUpdateMessage: "elsewhere",

  eventMessage: readEvent,
  eventCoverImage: "wrapper",
  encEventResponseMessage: "silent",
  scheduledCallCreationMessage: ({ title, scheduledTimestampMs }) =>
    unsupported("scheduled call", [title, timeOf(scheduledTimestampMs, 1)]),
  scheduledCallEditMessage: "silent",
  bcallMessage: ({ caption }) => unsupported("call", [caption]),
  // Calls are reported by stanzas of their own.
  call: "silent",
  callLogMesssage: "silent",

  requestPaymentMessage: ({ noteMessage, amount1000, currencyCodeIso4217 }, read) =>
    unsupported("request payment", [amountOf(amount1000, currencyCodeIso4217), textOf(read(noteMessage))]),
  sendPaymentMessage: ({ noteMessage }, read) => unsupported("send payment", [textOf(read(noteMessage))]),
  declinePaymentRequestMessage: () => unsupported("decline payment request"),
  cancelPaymentRequestMessage: () => unsupported("cancel payment request"),
  paymentInviteMessage: () => unsupported("payment invite"),
  requestPhoneNumberMessage: () => unsupported("request phone number"),
  groupInviteMessage: ({ caption, groupName, inviteCode }) =>
    words(joined([text(caption), linked(text(groupName), inviteOf(inviteCode))])) ??
    unsupported("group invite"),
  newsletterAdminInviteMessage: ({ caption, newsletterName }) =>
    unsupported("newsletter admin invite", [newsletterName, caption]),
  newsletterFollowerInviteMessageV2: ({ caption, newsletterName }) =>
    unsupported("newsletter follower invite", [newsletterName, caption]),

  questionMessage: "wrapper",
  questionReplyMessage: "wrapper",
  questionResponseMessage: (part) => words(part.text) ?? unsupported("question response"),
  statusQuestionAnswerMessage: (part) => words(part.text) ?? unsupported("question response"),
  statusQuotedMessage: (part) => words(part.text) ?? unsupported("question response"),
  commentMessage: ({ message }, read) => read(message) ?? unsupported("comment"),
  statusMentionMessage: ({ message }, read) => read(message) ?? unsupported("status mention"),
  groupStatusMentionMessage: ({ message }, read) => read(message) ?? unsupported("group status mention"),
  richResponseMessage: readRichResponse,
  // The content is for the phone only.
  placeholderMessage: () => unsupported("a message that only the phone shows"),

  deviceSentMessage: "wrapper",
  ephemeralMessage: "wrapper",
  viewOnceMessage: "wrapper",
  viewOnceMessageV2: "wrapper",
  viewOnceMessageV2Extension: "wrapper",
  documentWithCaptionMessage: "wrapper",
  editedMessage: "wrapper",
  groupMentionedMessage: "wrapper",
  botInvokeMessage: "wrapper",
  botTaskMessage: "wrapper",
  botForwardedMessage: "wrapper",
  lottieStickerMessage: "wrapper",
  associatedChildMessage: "wrapper",
  statusAddYours: "wrapper",
  groupStatusMessage: "wrapper",
  groupStatusMessageV2: "wrapper",
  limitSharingMessage: "wrapper",

  protocolMessage: "elsewhere",
  secretEncryptedMessage: "elsewhere",
  reactionMessage: "elsewhere",

  messageContextInfo: "silent",
  senderKeyDistributionMessage: "silent",
  fastRatchetKeySenderKeyDistributionMessage: "silent",
  chat: "silent",
  keepInChatMessage: "silent",
  pinInChatMessage: "silent",
  encReactionMessage: "silent",
  encCommentMessage: "silent",
  stickerSyncRmrMessage: "silent",
  statusNotificationMessage: "silent",
  statusStickerInteractionMessage: "silent",
  messageHistoryBundle: "silent",
  messageHistoryNotice: "silent",
  // Its pictures follow as messages of their own.
  albumMessage: "silent",
};
