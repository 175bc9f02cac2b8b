import type { proto } from "baileys";
import { listOf, text } from "../../../platform/foreign/foreign-json.ts";
import { readForm } from "../../kit/form.ts";
import { objectIn, parsed, textIn } from "../../kit/json.ts";
import { answerJson, joined, linked, wordsIn } from "../../kit/words.ts";
import { bullet } from "./business.ts";
import {
  amountOf,
  items,
  type MessageContent,
  media,
  readFile,
  timeOf,
  unsupported,
  words,
} from "./parts.ts";

export function textOf(content: MessageContent | null): string | undefined {
  return content !== null && "text" in content.body ? content.body.text : undefined;
}

export function inviteOf(code: unknown): string | undefined {
  const found = text(code);
  return found === undefined ? undefined : `https://chat.whatsapp.com/${found}`;
}

/** The interface represents stickers as images with a file name that ends in `.was`, including static ones. */
export function readSticker(message: proto.Message.IStickerMessage): MessageContent {
  const mimetype = message.isLottie === true ? "application/was" : (text(message.mimetype) ?? "image/webp");
  return media("image", "sticker", { ...message, mimetype, fileName: "sticker.was" });
}

export function readInvoice(part: proto.Message.IInvoiceMessage): MessageContent | null {
  const { note: caption, attachmentType, attachmentMimetype: mimetype } = part;
  const file = {
    mediaKey: part.attachmentMediaKey,
    directPath: part.attachmentDirectPath,
    mimetype,
    caption,
  };
  if (file.directPath == null) return unsupported("invoice", [caption]);
  // `InvoiceMessage.AttachmentType.PDF`
  return attachmentType === 1 ? media("document", "document", file) : media("image", "image", file);
}

/** A contact without a card has only a name. */
export function cardOf(part: unknown): string | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { vcard, displayName } = part as proto.Message.IContactMessage;
  const name = text(displayName)
    ?.replace(/[\\;,]/g, "\\$&")
    .replace(/\r?\n/g, "\\n");
  const made =
    name === undefined ? undefined : `BEGIN:VCARD\nVERSION:3.0\nN:;${name};\nFN:${name}\nEND:VCARD`;
  return text(vcard) ?? made;
}

export function readList({
  title,
  description,
  footerText,
  sections,
  productListInfo,
}: proto.Message.IListMessage): MessageContent {
  const rows = items(sections).flatMap((section) => [
    text(section.title),
    ...items(section.rows).map((row) =>
      bullet(joined([text(row.title), text(row.description)], " – ") ?? undefined),
    ),
  ]);
  const products = items(productListInfo?.productSections).flatMap((section) => [
    text(section.title),
    ...items(section.products).map(({ productId }) => bullet(text(productId))),
  ]);
  return (
    words(joined([text(title), text(description), text(footerText), ...rows, ...products])) ??
    unsupported("list")
  );
}

export function readProduct({
  product,
  catalog,
  body,
  footer,
}: proto.Message.IProductMessage): MessageContent {
  const lines = [
    text(body),
    linked(text(product?.title), text(product?.url)),
    text(product?.description),
    amountOf(product?.salePriceAmount1000 ?? product?.priceAmount1000, product?.currencyCode),
    text(catalog?.title),
    text(catalog?.description),
    text(footer),
  ];
  const imageMessage = product?.productImage ?? catalog?.catalogImage;
  return (imageMessage == null ? null : readFile({ imageMessage }, lines)) ?? unsupported("product", lines);
}

/** The products can be fetched by the token only, which is left out. */
export function readOrder(order: proto.Message.IOrderMessage): MessageContent {
  const { orderId, orderTitle, message, itemCount, totalAmount1000, totalCurrencyCode } = order;
  const price = amountOf(totalAmount1000, totalCurrencyCode);
  const count = Number.isInteger(itemCount) && Number(itemCount) > 0 ? `× ${itemCount}` : undefined;
  const about = joined([joined([text(orderTitle), count], " ") ?? undefined, price], ", ");
  const said = words(joined([text(message), about ?? undefined])) ?? unsupported("order");
  const id = text(orderId);
  if (id === undefined) return said;
  const known = {
    orderId: id,
    orderTitle: text(orderTitle),
    message: text(message),
    itemCount: count?.slice(2),
    price,
  };
  return { ...said, answers: [{ type: "order", payload: answerJson(known) }] };
}

export function press(label: unknown, id: unknown, description?: unknown): MessageContent | null {
  const payload = text(id);
  const shown = text(label) ?? payload ?? text(description);
  if (shown === undefined) return null;
  const body = { type: "text", text: joined([shown, text(description)]) ?? shown } as const;
  return { body, pressed: payload === undefined ? { text: shown } : { text: shown, payload } };
}

/** A pressed button, whose parameters have its `id`, or a completed form. */
export function readAnswer(part: proto.Message.IInteractiveResponseMessage): MessageContent {
  const said = text(part.body?.text);
  const { name, paramsJson } = part.nativeFlowResponseMessage ?? {};
  const json = text(paramsJson);
  const params = json === undefined ? undefined : parsed(json);
  const id = textIn(params, "id");
  if (id !== undefined && objectIn(params, "values") === undefined)
    return press(
      said ?? textIn(params, "title") ?? textIn(params, "display_text"),
      id,
      textIn(params, "description"),
    ) as MessageContent;
  const { text: shown, ...answers } = readForm({ type: text(name) ?? "form", words: said, json });
  return { ...(words(shown) ?? unsupported("form")), ...answers };
}

/** The title, then one line per option. */
export function readPoll({ name, options }: proto.Message.IPollCreationMessage): MessageContent {
  const choices = items(options).map(({ optionName }) => `• ${text(optionName) ?? ""}`);
  return { body: { type: "text", text: [text(name) ?? "", ...choices].join("\n") } };
}

export function readResult({ name, pollVotes }: proto.Message.IPollResultSnapshotMessage): MessageContent {
  const votes = items(pollVotes).map(
    ({ optionName, optionVoteCount }) => `• ${text(optionName) ?? ""}: ${Number(optionVoteCount ?? 0)}`,
  );
  return words(joined([text(name), ...votes])) ?? unsupported("poll result");
}

export function readEvent(event: proto.Message.IEventMessage): MessageContent {
  const { name, description, location, joinLink, startTime, endTime, isCanceled } = event;
  const span = joined([timeOf(startTime, 1000), timeOf(endTime, 1000)], " – ") ?? undefined;
  const place = joined([text(location?.name), text(location?.address)], ", ") ?? undefined;
  const title = isCanceled === true ? joined([text(name), "(cancelled)"], " ") : text(name);
  return unsupported("event", [title, span, place, description, joinLink]);
}

export function readRichResponse({ submessages }: proto.IAIRichResponseMessage): MessageContent {
  const lines = items(submessages).flatMap(({ messageText, tableMetadata, codeMetadata, ...more }) => [
    text(messageText),
    text(tableMetadata?.title),
    ...items(tableMetadata?.rows).map((row) => (listOf(text)(row.items) ?? []).join(" | ")),
    ...items(codeMetadata?.codeBlocks).map(({ codeContent }) => text(codeContent)),
    wordsIn(more) ?? undefined,
  ]);
  return words(joined(lines)) ?? unsupported("response of a bot");
}

/** The readable fields of a field that the library does not know. */
export function readNewField(name: string, part: unknown): MessageContent {
  const json = typeof part === "object" ? wordsIn(part) : null;
  return unsupported(wordsOf(name), [json]);
}

/** "paymentInviteMessage" becomes "payment invite". */
function wordsOf(kind: string): string {
  return kind
    .replace(/Message(V[0-9]+)?$/, "")
    .replace(/([A-Z])/g, " $1")
    .toLowerCase();
}
