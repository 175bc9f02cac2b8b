import type { proto } from "baileys";
import { text } from "../../../platform/foreign/foreign-json.ts";
import { objectsIn, parsed, textIn } from "../../kit/json.ts";
import { joined, linked, wordsIn } from "../../kit/words.ts";
import { type Header, items, type MessageContent, readFile, unsupported } from "./parts.ts";

/** What businesses send: texts with a header, buttons and cards. A person reads the labels and where they lead. */

type Line = string | undefined;

/** An interactive message. The cards of a carousel that have a file are items of their own. */
export function readBusinessMessage(message: proto.Message.IInteractiveMessage): MessageContent {
  const cards = items(message.carouselMessage?.cards);
  const plain = cards.filter(({ header }) => !hasFile(header));
  const lines = [message, ...plain].flatMap(linesOf);
  const content = readFile(headerOf(message), lines) ?? unsupported("interactive");
  const pictured = cards.filter((card) => !plain.includes(card));
  const more = pictured.flatMap((card) => readFile(headerOf(card), linesOf(card))?.body ?? []);
  if (more.length === 0) return content;
  const [first, ...others] = more;
  // There are no words beside those of the cards.
  if (lines.every((line) => line === undefined) && !hasFile(message.header) && first !== undefined)
    return { body: first, more: others };
  return { ...content, more };
}

function headerOf({ header }: proto.Message.IInteractiveMessage): Header {
  const imageMessage = header?.productMessage?.product?.productImage;
  return imageMessage == null ? (header ?? {}) : { imageMessage };
}

function hasFile(header: proto.Message.InteractiveMessage.IHeader | null | undefined): boolean {
  const { imageMessage, videoMessage, documentMessage, locationMessage, productMessage } = header ?? {};
  return (
    (imageMessage ??
      videoMessage ??
      documentMessage ??
      locationMessage ??
      productMessage?.product?.productImage) != null
  );
}

function linesOf({ header, body, footer, nativeFlowMessage }: proto.Message.IInteractiveMessage): Line[] {
  const product = header?.productMessage?.product;
  return [
    text(header?.title),
    text(header?.subtitle),
    linked(text(product?.title), text(product?.url)),
    text(product?.description),
    text(body?.text),
    text(footer?.text),
    ...items(nativeFlowMessage?.buttons).map(({ buttonParamsJson }) => lineOfParams(text(buttonParamsJson))),
  ];
}

/** The parameters of a button are JSON text: a label and where it leads, or a list of rows, or an order. */
function lineOfParams(json: string | undefined): Line {
  const params = json === undefined ? undefined : parsed(json);
  const label = textIn(params, "display_text") ?? textIn(params, "title");
  const goal = textIn(params, "url") ?? textIn(params, "phone_number") ?? textIn(params, "copy_code");
  const rows = objectsIn(params, "sections").flatMap((section) => [
    textIn(section, "title"),
    ...objectsIn(section, "rows").map((row) =>
      bullet(joined([textIn(row, "title"), textIn(row, "description")], " – ") ?? undefined),
    ),
  ]);
  const line = bullet(linked(label, goal)) ?? wordsIn(params) ?? undefined;
  return joined([line, ...rows]) ?? undefined;
}

export function linesOfButtons(
  buttons: readonly proto.Message.ButtonsMessage.IButton[] | null | undefined,
): Line[] {
  return items(buttons).map(
    ({ buttonText, nativeFlowInfo }) =>
      bullet(text(buttonText?.displayText)) ?? lineOfParams(text(nativeFlowInfo?.paramsJson)),
  );
}

export function readTemplate(template: proto.Message.ITemplateMessage): MessageContent {
  const { hydratedTemplate, hydratedFourRowTemplate, interactiveMessageTemplate, fourRowTemplate } = template;
  const hydrated = hydratedTemplate ?? hydratedFourRowTemplate;
  if (hydrated != null) {
    const { hydratedTitleText, hydratedContentText, hydratedFooterText, hydratedButtons, ...header } =
      hydrated;
    const lines = [hydratedTitleText, hydratedContentText, hydratedFooterText].map(text);
    return (
      readFile(header, [...lines, ...items(hydratedButtons).map(lineOfButton)]) ?? unsupported("template")
    );
  }
  if (interactiveMessageTemplate != null) return readBusinessMessage(interactiveMessageTemplate);
  if (fourRowTemplate == null) return unsupported("template");
  const { highlyStructuredMessage, content, footer, buttons: _buttons, ...header } = fourRowTemplate;
  const lines = [highlyStructuredMessage, content, footer].flatMap((part) =>
    [...(part?.params ?? [])].map(text),
  );
  return readFile(header, lines) ?? unsupported("template");
}

function lineOfButton(button: proto.IHydratedTemplateButton): Line {
  const { quickReplyButton, urlButton, callButton } = button;
  const label = [quickReplyButton, urlButton, callButton]
    .map((each) => text(each?.displayText))
    .find(Boolean);
  return bullet(linked(label, text(urlButton?.url) ?? text(callButton?.phoneNumber)));
}

export function bullet(line: Line): Line {
  return line === undefined ? undefined : `• ${line}`;
}
