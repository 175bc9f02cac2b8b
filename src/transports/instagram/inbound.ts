import type {
  CommentedPost,
  InboundMessage,
  MessageBody,
  TransportEvent,
} from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { type Json, objectIn, objectsIn, required, textIn, Unreadable } from "../kit/json.ts";
import { referralFrom, startText } from "../kit/referral.ts";
import { wordsIn } from "../kit/words.ts";
import { type FileKinds, type Part, partOf, unsupported, withoutRepeats } from "./inbound/attachments.ts";
import type { Comment, Direct, Message, Referral } from "./inbound/notifications.ts";
import type { Person } from "./people.ts";

/** Data that must be fetched before a notification can be mapped. */
export interface InboundContext {
  readonly person: Person;
  readonly now: Date;
  /** What is behind the addresses of shared posts, stories and reels. */
  readonly kinds?: FileKinds;
  /** The number of items that a deleted message became; the largest possible one by default. */
  readonly parts?: number;
}

const CHAT_TYPE = "instagram";
/** The usual largest number of files in one Instagram message. */
export const MAX_PARTS = 10;

const MAX_ID = 1_000;

/** Maps a notification. Pure. Throws `Unreadable` if an id is missing. */
export function toEvents(direct: Direct, context: InboundContext): TransportEvent[] {
  const { item } = direct;
  const at = dateFromUnix(direct.at, context.now);
  const chat = { chatType: CHAT_TYPE, chatId: context.person.chatId } as const;
  const ref = (mid: string | undefined) => ({ ...chat, externalId: required(mid, "id of the message") });
  if (item.message !== undefined) return fromMessage(item.message, direct, context);
  if (item.message_edit !== undefined) {
    const { mid, text, num_edit: count } = item.message_edit;
    const edited = ref(mid);
    // Number 0 announces each new message.
    if (text === undefined || count === 0) return [];
    return [{ kind: "edited", ref: edited, body: { type: "text", text }, at }];
  }
  if (item.read !== undefined) {
    const { mid, watermark } = item.read;
    const upTo = mid === undefined ? { sentAt: dateFromUnix(watermark, context.now) } : { externalId: mid };
    return [{ kind: "readUpTo", ...chat, upTo, at }];
  }
  if (item.postback !== undefined) return [pressOf(item.postback, direct, context)];
  if (item.referral !== undefined) return openingBy(item.referral, direct, context);
  if (item.reaction !== undefined) return reactedBy(item.reaction, direct, context);
  return [{ kind: "activity", ...chat, at }];
}

function fromMessage(message: Message, direct: Direct, context: InboundContext): TransportEvent[] {
  const mid = required(message.mid, "id of the message");
  const at = dateFromUnix(direct.at, context.now);
  if (message.is_deleted === true)
    return Array.from({ length: context.parts ?? MAX_PARTS }, (_, index) => ({
      kind: "deleted",
      ref: { chatType: CHAT_TYPE, chatId: context.person.chatId, externalId: partId(mid, index) },
      at,
    }));
  const { reply_to: replyTo, quick_reply: pressed } = message;
  const referral = message.referral ?? direct.item.referral;
  const direction = message.is_echo === true ? ("echo" as const) : ("in" as const);
  const common = {
    chatType: CHAT_TYPE,
    chatId: context.person.chatId,
    direction,
    sentAt: at,
    contact: context.person.contact,
    ...quotedOf(replyTo),
  } as const;
  const parts = partsOf(message, direct.more, context);
  if (parts.length === 0 && referral !== undefined && direction === "in")
    parts.push({ body: { type: "text", text: startText(referral.ref) } });
  // It has no words and no file.
  if (parts.length === 0) return [];
  const from = referralOf(referral, message.attachments);
  return parts.map((part, index) => ({
    kind: "message",
    message: {
      ...common,
      ...from,
      externalId: partId(mid, index),
      ...part,
      ...(pressed !== undefined && {
        pressed: {
          text: message.text ?? pressed.payload ?? "",
          ...(pressed.payload !== undefined && { payload: pressed.payload }),
        },
      }),
    },
  }));
}

/** A story is none of our messages, and its address on Meta's servers is valid while it lives, a day. */
function quotedOf(replyTo: Message["reply_to"]): Pick<InboundMessage, "quoted"> {
  const { mid, story } = replyTo ?? {};
  if (mid !== undefined) return { quoted: { externalId: mid } };
  const externalId = story?.id ?? story?.url?.slice(0, MAX_ID);
  if (externalId === undefined) return {};
  const link = story?.url === undefined ? {} : { link: story.url };
  return { quoted: { externalId, body: unsupported("story", story?.url ?? null), ...link } };
}

function partId(mid: string, index: number): string {
  return index === 0 ? mid : `${mid}#${index + 1}`;
}

/** The items of a message. The text is attached to the first file if that can carry it. */
function partsOf(message: Message, more: Json, { kinds = new Map() }: InboundContext): Part[] {
  const text = message.text ?? message.quick_reply?.payload ?? "";
  const parts = withoutRepeats(message.attachments ?? [], text).map((each) => partOf(each, kinds));
  if (parts.length === 0) return bodiesWithoutFiles(message, text, more).map((body) => ({ body }));
  const [first, ...rest] = parts;
  if (first === undefined || text === "") return parts;
  if (first.body.type === "media" && first.body.text === "")
    return [{ ...first, body: { ...first.body, text } }, ...rest];
  return [{ body: { type: "text", text } }, ...parts];
}

function bodiesWithoutFiles(message: Message, text: string, more: Json): MessageBody[] {
  if (message.is_unsupported === true) return [unsupported("message", text === "" ? wordsIn(more) : text)];
  if (text !== "") return [{ type: "text", text }];
  const [what] = Object.keys(more);
  return what === undefined ? [] : [unsupported(what, wordsIn(more))];
}

function pressOf(
  { mid, title, payload, referral }: NonNullable<Direct["item"]["postback"]>,
  direct: Direct,
  { person, now }: InboundContext,
): TransportEvent {
  const text = title ?? payload ?? "";
  if (text === "" && mid === undefined) throw new Unreadable("both the title and the message are missing");
  const at = dateFromUnix(direct.at, now);
  return {
    kind: "message",
    message: {
      chatType: CHAT_TYPE,
      chatId: person.chatId,
      // `mid` is the id of the message that has the button, so the press needs an id of its own.
      externalId: `postback:${mid ?? ""}:${payload ?? text}:${String(direct.at ?? "")}`,
      direction: "in",
      sentAt: at,
      contact: person.contact,
      body: { type: "text", text },
      pressed: { text, ...(payload !== undefined && { payload }) },
      ...(mid !== undefined && { quoted: { externalId: mid } }),
      ...referralOf(referral ?? direct.item.referral),
    },
  };
}

/** Only a reaction of the customer opens the reply window. Without an emoji it is the heart of a double tap. */
function reactedBy(
  { mid, action, emoji = "❤️" }: NonNullable<Direct["item"]["reaction"]>,
  { item, igsid, at: time }: Direct,
  { person, now }: InboundContext,
): TransportEvent[] {
  const at = dateFromUnix(time, now);
  const chat = { chatType: CHAT_TYPE, chatId: person.chatId } as const;
  const isTheirs = item.sender?.id === igsid;
  const isTaken = action === "unreact";
  const opened = isTheirs && !isTaken ? [{ kind: "activity", ...chat, at } as const] : [];
  const by = { id: person.chatId, name: person.contact.name || person.chatId };
  return [
    ...opened,
    {
      kind: "reaction",
      ref: { ...chat, externalId: required(mid, "message of the reaction") },
      emoji: isTaken ? null : emoji,
      at,
      ...(isTheirs && { by }),
    },
  ];
}

/** The customer opened a known chat from a link or an advertisement, and wrote nothing. */
function openingBy(referral: Referral, direct: Direct, { person, now }: InboundContext): TransportEvent[] {
  const at = dateFromUnix(direct.at, now);
  const chat = { chatType: CHAT_TYPE, chatId: person.chatId } as const;
  const from = referralOf(referral);
  if (from.referral === undefined) return [{ kind: "activity", ...chat, at }];
  return [
    {
      kind: "message",
      message: {
        ...chat,
        externalId: `referral:${String(direct.at ?? "")}`,
        direction: "in",
        sentAt: at,
        contact: person.contact,
        body: { type: "text", text: startText(referral.ref) },
        ...from,
      },
    },
  ];
}

/** A question about a product of a shop names the product in an attachment. */
function referralOf(
  referral: Referral | undefined,
  attachments: Message["attachments"] = [],
): Pick<InboundMessage, "referral"> {
  if (referral === undefined) return productOf(attachments);
  const { ref, referer_uri: sourceUrl, ad_id: adId, ads_context_data: ad, product } = referral;
  const isAd = adId !== undefined || ad !== undefined || referral.source?.toUpperCase() === "ADS";
  const sourceId = adId ?? ad?.post_id ?? product?.id;
  const source = isAd ? "ad" : product === undefined ? "link" : "product";
  return referralFrom(source, { sourceId, sourceUrl, headline: ad?.ad_title, ref });
}

function productOf(attachments: readonly Json[]): Pick<InboundMessage, "referral"> {
  const [product] = attachments.flatMap((each) =>
    objectsIn(objectIn(objectIn(each, "payload"), "product"), "elements"),
  );
  return referralFrom("product", { sourceId: textIn(product, "id"), headline: textIn(product, "title") });
}

/** A comment on a post of the account. */
export function toComment(
  comment: Comment,
  { person, now, post }: InboundContext & { readonly post: CommentedPost },
): TransportEvent & { readonly message: InboundMessage } {
  return {
    kind: "message",
    message: {
      chatType: CHAT_TYPE,
      chatId: person.chatId,
      externalId: comment.id,
      direction: "in",
      sentAt: dateFromUnix(comment.at, now),
      contact: person.contact,
      // A comment may be only a picture, which Instagram does not report.
      body: comment.text === "" ? unsupported("comment") : { type: "text", text: comment.text },
      post,
      ...referralFrom("ad", { sourceId: comment.ad?.ad_id, headline: comment.ad?.ad_title }),
      ...(comment.parentId !== undefined && { quoted: { externalId: comment.parentId } }),
    },
  };
}
