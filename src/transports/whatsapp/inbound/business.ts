import type { proto } from "baileys";
import { text } from "../../../platform/foreign/foreign-json.ts";
import { objectsIn, parsed, textIn } from "../../kit/json.ts";
import { joined, linked, wordsIn } from "../../kit/words.ts";
import { items, type MessageContent, readFile, unsupported } from "./parts.ts";

/** What businesses send: texts with a header, buttons and cards. A person reads the labels and where they lead. */

type Line = string | undefined;

/** An interactive message; a carousel is shown with the words of its cards, and the picture of its first. */
export function readBusinessMessage(message: proto.Message.IInteractiveMessage): MessageContent {
  const cards = items(message.carouselMessage?.cards);
  const pictured = [message, ...cards].find(({ header }) => hasFile(header)) ?? message;
  const lines = [message, ...cards].flatMap(linesOf);
  const file = pictured.header?.productMessage?.product?.productImage;
  const header = file == null ? (pictured.header ?? {}) : { imageMessage: file };
  return readFile(header, lines) ?? unsupported("interactive");
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
