import type { Request } from "../phone/admin.ts";
import { type Admin, type Json, json, list, number, part, text } from "../phone/admin.ts";
import { messageBody, targetOf } from "../phone/body.ts";
import { conversation, fileAt, fileOf, message, placeAt } from "../phone/message.ts";
import type { FileSource, Given, Phone, Seat, StoredConversation, StoredMessage } from "../phone/phone.ts";
import type { Look } from "../phone/shape.ts";
import { takenByCallback } from "../phone/taken.ts";
import { httpTroubles, TITLES } from "../phone/troubles.ts";

function act(name: string, body: (given: Given) => object) {
  return ({ person, chat }: Seat, given: Given): Request => [
    `POST /numbers/${part(chat)}/users/${part(person)}/${name}`,
    body(given),
  ];
}

const phone: Phone = {
  title: {
    en: "WhatsApp Business",
    ru: "WhatsApp Business",
    es: "WhatsApp Business",
    "pt-BR": "WhatsApp Business",
  },
  colour: "#0b6b5d",
  personal: false,
  quotes: true,
  reactions: ["👍", "❤️", "😂", "😮", "😢", "🙏"],
  kinds: [
    { kind: "text", look: "text" },
    { kind: "image", look: "image", caption: true },
    { kind: "video", look: "video", caption: true },
    { kind: "document", look: "file", caption: true },
    { kind: "voice", look: "voice" },
    { kind: "audio", look: "audio" },
    { kind: "sticker", look: "sticker" },
    { kind: "location", look: "place" },
    { kind: "contacts", look: "contact" },
    { kind: "order", look: "other", title: { en: "Order", ru: "Заказ", es: "Pedido", "pt-BR": "Pedido" } },
    {
      kind: "unsupported",
      look: "other",
      title: {
        en: "Something unsupported",
        ru: "Неподдерживаемое",
        es: "Algo no compatible",
        "pt-BR": "Algo não suportado",
      },
    },
  ],
  acts: {
    send: act("messages", messageBody),
    edit: act("edits", (given) => ({ message_id: targetOf(given), text: given.text })),
    delete: act("deletions", (given) => ({ message_id: targetOf(given) })),
    react: act("reactions", (given) => ({ message_id: targetOf(given), emoji: given.emoji })),
    press: act("presses", ({ key, message: id }) => ({ id: key, message_id: id })),
    read: act("reads", () => ({})),
    call: act("calls", () => ({})),
    block: act("blocks", () => ({})),
    unblock: act("unblocks", () => ({})),
  },
  logs: [
    { name: "calls", from: "gateway" },
    { name: "callbacks", from: "messenger" },
  ],
  troubles: [
    ...httpTroubles({ error_code: 130429 }, () => ({ edge: "messages" })),
    {
      ...TITLES.ban,
      lasts: "switch",
      begin: ({ chat }) => [`POST /numbers/${part(chat)}/states`, { status: "BANNED" }],
      end: ({ chat }) => [`POST /numbers/${part(chat)}/states`, { status: "CONNECTED" }],
    },
    {
      name: "undeliverable",
      title: {
        en: "Taken, and failed later (131026)",
        ru: "Принято, но не доставлено (131026)",
        es: "Aceptado y después fallido (131026)",
        "pt-BR": "Aceita, e falha depois (131026)",
      },
      lasts: "switch",
      fault: ({ person }) => ({ to: person, status_error_code: 131026, times: 1_000_000 }),
    },
    { ...TITLES.revoke, lasts: "once", begin: () => ["POST /tokens/expirations", { reason: "session" }] },
  ],
  taken: takenByCallback,
  people: async (admin) =>
    (await admin.list("/users")).map((user) => ({
      id: text(user["id"]),
      name: text(user["name"]),
      detail: `+${text(user["phone"])}`,
      devices: [],
      hasPassword: false,
    })),
  addPerson: ({ name, phone: number_ }) => [
    "POST /users",
    { name, ...(number_ !== "" && { phone: number_ }) },
  ],
  chats: async (admin) =>
    (await admin.list("/numbers")).map((each) => ({
      id: text(each["id"]),
      title: text(each["verified_name"]),
      detail: text(each["display_phone_number"]),
      kind: "business" as const,
    })),
  conversation: readConversation,
};
export default phone;

async function readConversation(admin: Admin, { person, chat }: Seat): Promise<StoredConversation> {
  const page = await admin.ask([`GET /numbers/${part(chat)}/users/${part(person)}/messages`]);
  const entries = list(page["items"]);
  const reactions = entries.filter((each) => each["type"] === "reaction");
  const texts = new Map(entries.map((each) => [text(each["id"]), textOf(each)]));
  const shown = entries.filter((each) => each["type"] !== "reaction").map((each) => readMessage(each, texts));
  return conversation(
    shown.map((each) => ({ ...each, reactions: reactionsTo(each.id, reactions) })),
    { blocked: page["blocked"] === true },
  );
}

/** The last one of each side counts; an empty one removes it. */
function reactionsTo(id: string, entries: readonly Json[]): string[] {
  const bySide = new Map<string, string>();
  for (const { content, direction } of entries)
    if (text(json(content)["message_id"]) === id)
      bySide.set(direction === "in" ? "in" : "out", text(json(content)["emoji"]));
  return [...bySide.values()].filter((emoji) => emoji !== "");
}

const FILES: Readonly<Record<string, Look>> = {
  image: "image",
  video: "video",
  audio: "audio",
  document: "file",
  sticker: "sticker",
};

function readMessage(entry: Json, texts: ReadonlyMap<string, string>): StoredMessage {
  const mine = entry["direction"] === "in";
  const statuses = entry["statuses"] as readonly string[];
  const quoted = text(entry["contextId"]);
  return message({
    id: text(entry["id"]),
    mine,
    at: number(entry["timestamp"]) * 1000,
    look: "text",
    kind: text(entry["type"]),
    text: textOf(entry),
    ...readContent(entry),
    buttons: list(entry["buttons"]).map((button) => [
      {
        text: text(button["title"]),
        key: text(button["id"]),
        ...(text(button["url"]) !== "" && { url: text(button["url"]) }),
      },
    ]),
    ...(quoted !== "" && { quote: { id: quoted, text: texts.get(quoted) ?? "" } }),
    state: mine
      ? entry["readByBusiness"] === true
        ? "read"
        : "sent"
      : statuses.includes("failed")
        ? "failed"
        : null,
  });
}

function textOf({ type, content }: Json): string {
  const said = json(content);
  if (type === "interactive" || type === "template") return interactiveText(said);
  if (type === "button") return text(said["text"]);
  return text(said["body"]) || text(said["caption"]) || text(said["text"]);
}

/** Header, text and footer of a template or of a message with buttons; or the selected option. */
function interactiveText(said: Json): string {
  const chosen = json(said["button_reply"] ?? said["list_reply"] ?? said["nfm_reply"]);
  const parts = [said["header"], said["body"], said["footer"]].map(
    (each) => text(each) || text(json(each)["text"]),
  );
  return text(chosen["title"]) || text(chosen["body"]) || parts.filter((each) => each !== "").join("\n");
}

function readContent({ type, content }: Json): Partial<StoredMessage> {
  const said = json(content);
  const look = FILES[text(type)];
  if (look !== undefined) return { look: said["voice"] === true ? "voice" : look, files: [fileIn(said)] };
  if (type === "location")
    return { look: "place", place: placeAt(said["latitude"], said["longitude"], said["name"]) };
  const [card] = list(content);
  if (type === "contacts" && card !== undefined)
    return {
      look: "contact",
      contact: {
        name: text(json(card["name"])["formatted_name"]),
        phone: text(list(card["phones"])[0]?.["phone"]),
      },
    };
  return ["text", "interactive", "template", "button"].includes(text(type)) ? {} : { look: "other" };
}

function fileIn(said: Json): FileSource {
  const known = { mime: text(said["mime_type"]) || undefined, name: text(said["filename"]) || undefined };
  const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  const link = text(said["link"]);
  return link === "" ? fileOf(`/media/${part(text(said["id"]))}/file`, given) : fileAt(link, given);
}
