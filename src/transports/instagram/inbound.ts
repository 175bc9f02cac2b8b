import type {
  CommentedPost,
  InboundMessage,
  MessageBody,
  TransportEvent,
} from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { required, Unreadable } from "../kit/json.ts";
import { referralFrom, startText } from "../kit/referral.ts";
import type { Attachment, Comment, Direct, Message, Referral } from "./inbound/notifications.ts";
import type { Person } from "./people.ts";

/** Data that must be fetched before a notification can be mapped. */
export interface InboundContext {
  readonly person: Person;
  readonly now: Date;
  /** The type of the story that mentions the account. */
  readonly storyKind?: "image" | "video";
}

const CHAT_TYPE = "instagram";
/** The largest number of files in one Instagram message. */
const MAX_PARTS = 10;

/** Maps a notification. Pure. Throws `Unreadable` if an id is missing. */
export function toEvents(direct: Direct, context: InboundContext): TransportEvent[] {
  const { item } = direct;
  const at = dateFromUnix(direct.at, context.now);
  const chat = { chatType: CHAT_TYPE, chatId: context.person.chatId } as const;
  const ref = (mid: string | undefined) => ({ ...chat, externalId: required(mid, "id of the message") });
  if (item.message !== undefined) return fromMessage(item.message, direct, context);
  if (item.message_edit !== undefined) {
    const { mid, text = "" } = item.message_edit;
    return [{ kind: "edited", ref: ref(mid), body: { type: "text", text }, at }];
  }
  if (item.read !== undefined) {
    const { mid, watermark } = item.read;
    const upTo = mid === undefined ? { sentAt: dateFromUnix(watermark, context.now) } : { externalId: mid };
    return [{ kind: "readUpTo", ...chat, upTo, at }];
  }
  if (item.postback !== undefined) return [pressOf(item.postback, direct, context)];
  if (item.referral !== undefined) return openingBy(item.referral, direct, context);
  // The interface has no reactions; a reaction only opens the reply window.
  if (item.reaction?.action === "unreact") return [];
  return [{ kind: "activity", ...chat, at }];
}

function fromMessage(message: Message, direct: Direct, context: InboundContext): TransportEvent[] {
  const mid = required(message.mid, "id of the message");
  const at = dateFromUnix(direct.at, context.now);
  if (message.is_deleted === true)
    return Array.from({ length: MAX_PARTS }, (_, index) => ({
      kind: "deleted",
      ref: { chatType: CHAT_TYPE, chatId: context.person.chatId, externalId: partId(mid, index) },
      at,
    }));
  const { reply_to: replyTo, quick_reply: pressed } = message;
  const direction = message.is_echo === true ? ("echo" as const) : ("in" as const);
  const common = {
    chatType: CHAT_TYPE,
    chatId: context.person.chatId,
    direction,
    sentAt: at,
    contact: context.person.contact,
    ...quotedOf(replyTo),
    ...referralOf(message.referral),
  } as const;
  return bodiesOf(message, context).map((body, index) => ({
    kind: "message",
    message: {
      ...common,
      externalId: partId(mid, index),
      body,
      ...(pressed !== undefined && {
        pressed: {
          text: message.text ?? "",
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
  if (story?.id === undefined) return {};
  const link = story.url === undefined ? {} : { link: story.url };
  return { quoted: { externalId: story.id, body: unsupported("story"), ...link } };
}

function partId(mid: string, index: number): string {
  return index === 0 ? mid : `${mid}#${index + 1}`;
}

/** The text is attached to the first file if that file can carry it. */
function bodiesOf(message: Message, context: InboundContext): MessageBody[] {
  const { text = "", attachments = [] } = message;
  if (message.is_unsupported === true) return [unsupported("message")];
  if (attachments.length === 0) return [{ type: "text", text }];
  const bodies = attachments.slice(0, MAX_PARTS).map((each) => bodyOf(each, context));
  const [first, ...rest] = bodies;
  if (first === undefined || text === "") return bodies;
  if (first.type === "media") return [{ ...first, text }, ...rest];
  const words: MessageBody = { type: "text", text };
  return [words, ...bodies].slice(0, MAX_PARTS);
}

const MEDIA = {
  image: "image",
  video: "video",
  audio: "audio",
  file: "document",
  ig_reel: "video",
  reel: "video",
} as const;

function bodyOf({ type = "attachment", payload = {} }: Attachment, context: InboundContext): MessageBody {
  const { url, title } = payload;
  if (type === "like_heart") return { type: "text", text: "❤️" };
  if (type === "share" || type === "ig_post") {
    const text = [title, url].filter((part) => part !== undefined).join("\n");
    return text === "" ? unsupported(type) : { type: "text", text };
  }
  if (url === undefined) return unsupported(type);
  if (type === "story_mention")
    return { type: "media", media: context.storyKind ?? "image", file: { token: url }, text: "" };
  const media = Object.hasOwn(MEDIA, type) ? MEDIA[type as keyof typeof MEDIA] : undefined;
  if (media === undefined) return unsupported(type);
  return { type: "media", media, file: { token: url }, text: type.endsWith("reel") ? (title ?? "") : "" };
}

function unsupported(what: string): MessageBody {
  return { type: "unsupported", what };
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
      ...referralOf(referral),
    },
  };
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

function referralOf(referral: Referral | undefined): Pick<InboundMessage, "referral"> {
  const { ref, referer_uri: sourceUrl, ad_id: adId, ads_context_data: ad, product } = referral ?? {};
  const isAd = adId !== undefined || ad !== undefined;
  const sourceId = adId ?? ad?.post_id ?? product?.id;
  const source = isAd ? "ad" : product === undefined ? "link" : "product";
  return referralFrom(source, { sourceId, sourceUrl, headline: ad?.ad_title, ref });
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
      body: { type: "text", text: comment.text },
      post,
      ...(comment.parentId !== undefined && { quoted: { externalId: comment.parentId } }),
    },
  };
}
