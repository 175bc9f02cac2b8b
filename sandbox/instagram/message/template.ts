import { badParam } from "../../meta/graph-error.ts";
import type { Param } from "../../meta/param.ts";
import type { MessageButton } from "../account/conversation.ts";

/** https://developers.facebook.com/docs/messenger-platform/instagram/features/quick-replies and .../generic-template */
const maxQuickReplies = 13;
const maxTitle = 20;
const maxPayload = 1000;
const maxElements = 10;
const maxElementText = 80;
const maxTemplateText = 640;
const maxButtons = 3;

export function readQuickReplies(message: Param): MessageButton[] {
  const replies = message.list("quick_replies") ?? [];
  if (replies.length > maxQuickReplies)
    throw badParam(`Param message['quick_replies'] must have at most ${maxQuickReplies} elements.`);
  return replies.map((reply) => {
    reply.only("content_type", "title", "payload", "image_url");
    reply.needOneOf("content_type", ["text", "user_phone_number", "user_email"]);
    const title = reply.needText("title", { max: maxTitle });
    return { kind: "quick_reply", title, payload: reply.needText("payload", { max: maxPayload }) };
  });
}

/** A generic or button template: returns its buttons after all checks. */
export function readTemplate(payload: Param): MessageButton[] {
  const type = payload.needOneOf("template_type", ["generic", "button"]);
  if (type === "button") {
    payload.only("template_type", "text", "buttons");
    payload.needText("text", { max: maxTemplateText });
    return readButtons(payload.needList("buttons"));
  }
  payload.only("template_type", "elements");
  const elements = payload.needList("elements");
  if (elements.length < 1 || elements.length > maxElements)
    throw badParam(`Param elements must have 1 to ${maxElements} elements.`);
  return elements.flatMap((element) => {
    element.only("title", "subtitle", "image_url", "default_action", "buttons");
    element.needText("title", { max: maxElementText });
    element.text("subtitle", { max: maxElementText });
    return readButtons(element.list("buttons") ?? []);
  });
}

function readButtons(buttons: readonly Param[]): MessageButton[] {
  if (buttons.length > maxButtons) throw badParam(`Param buttons must have at most ${maxButtons} elements.`);
  return buttons.map((button) => {
    button.only("type", "title", "payload", "url");
    const kind = button.needOneOf("type", ["web_url", "postback"]);
    const title = button.needText("title", { max: maxTitle });
    return {
      kind,
      title,
      payload: kind === "postback" ? button.needText("payload", { max: maxPayload }) : button.needText("url"),
    };
  });
}
