import { badParam, GraphError } from "../../meta/graph-error.ts";
import type { Param } from "../../meta/param.ts";
import type { Account } from "../account/account.ts";
import type { Attachment, MessageButton } from "../account/conversation.ts";
import type { GraphCall } from "../call/call.ts";
import { type MediaType, mediaTypes, readMedia } from "./attachment.ts";
import { readQuickReplies, readTemplate } from "./template.ts";

/** https://developers.facebook.com/docs/messenger-platform/instagram/features/send-message: a thousand bytes of UTF-8. */
const maxTextBytes = 1000;

/** The content of the account's message. */
export interface MessageContent {
  readonly text: string | undefined;
  readonly attachments: readonly Attachment[];
  readonly buttons: readonly MessageButton[];
  /** Set if an uploaded file is sent again. */
  readonly attachmentId: string | undefined;
  /** Audio and video have a separate rate limit. */
  readonly isHeavy: boolean;
}

/** `message`: a text or attachments, never both. */
export async function readContent(
  call: GraphCall,
  account: Account,
  message: Param,
): Promise<MessageContent> {
  message.only("text", "attachment", "attachments", "quick_replies", "metadata");
  const text = message.text("text");
  const single = message.object("attachment");
  const several = message.list("attachments");
  const given = [text, single, several].filter((part) => part !== undefined);
  if (given.length !== 1)
    throw badParam("Param message must have exactly one of text, attachment and attachments.");
  const buttons = readQuickReplies(message);
  if (text !== undefined) {
    checkText(text);
    return { text, attachments: [], buttons, attachmentId: undefined, isHeavy: false };
  }
  if (buttons.length > 0) throw badParam("Param message['quick_replies'] needs a text.");
  if (single) return readAttachment(call, account, single);
  const parts: MessageContent[] = [];
  for (const part of several ?? []) {
    if (part.text("type") !== "image") throw badParam("Param message['attachments'] takes images only.");
    parts.push(await readAttachment(call, account, part));
  }
  if (parts.length === 0) throw badParam("Param message['attachments'] must not be empty.");
  const attachments = parts.flatMap((part) => part.attachments);
  return { text: undefined, attachments, buttons: [], attachmentId: undefined, isHeavy: false };
}

function checkText(text: string): void {
  if (text === "") throw badParam("Param message['text'] must be a non-empty string.");
  if (Buffer.byteLength(text) <= maxTextBytes) return;
  const message = `(#100) Length of param message[text] must be less than or equal to ${maxTextBytes}`;
  throw new GraphError(message, { status: 400, type: "OAuthException", code: 100, subcode: 2018276 });
}

async function readAttachment(call: GraphCall, account: Account, attachment: Param): Promise<MessageContent> {
  attachment.only("type", "payload");
  const type = attachment.needOneOf("type", [
    ...mediaTypes,
    "like_heart",
    "MEDIA_SHARE",
    "template",
  ] as const);
  const plain = { text: undefined, buttons: [], attachmentId: undefined, isHeavy: false };
  switch (type) {
    case "like_heart":
      return { ...plain, attachments: [{ type }] };
    case "MEDIA_SHARE":
      return { ...plain, attachments: [sharePost(call, account, attachment.needObject("payload"))] };
    case "template": {
      const payload = attachment.needObject("payload");
      const buttons = readTemplate(payload);
      return { ...plain, buttons, attachments: [{ type, payload: { generic: payload.values } }] };
    }
    default:
      return { ...plain, ...(await readFile(call, account, type, attachment)) };
  }
}

async function readFile(call: GraphCall, account: Account, type: MediaType, attachment: Param) {
  const media = await readMedia(call, account, type, attachment.needObject("payload"));
  const isHeavy = type === "audio" || type === "video";
  return { attachments: [media.attachment], attachmentId: media.attachmentId, isHeavy };
}

/** A post of the account itself. */
function sharePost({ world }: GraphCall, account: Account, payload: Param): Attachment {
  payload.only("id");
  const post = world.posts.get(payload.needText("id"));
  if (post?.accountId !== account.id || post.deleted) throw badParam("Invalid media id in MEDIA_SHARE");
  return { type: "share", payload: { url: post.permalink } };
}
