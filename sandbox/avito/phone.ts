import type { Request } from "../phone/admin.ts";
import { type Admin, type Json, json, list, number, part, text } from "../phone/admin.ts";
import { messageBody, targetOf } from "../phone/body.ts";
import { conversation, fileAt, fileOf, message, placeAt } from "../phone/message.ts";
import type { Given, Phone, Seat, StoredConversation, StoredMessage } from "../phone/phone.ts";
import { takenByCallback } from "../phone/taken.ts";
import { httpTroubles, TITLES } from "../phone/troubles.ts";

function act(name: string, body: (given: Given) => object) {
  return ({ chat }: Seat, given: Given): Request => [`POST /chats/${part(chat)}/${name}`, body(given)];
}

/** A chat that is not started yet is named by its seller. */
const NEW = "new:";

const phone: Phone = {
  title: { en: "Avito", ru: "Авито", es: "Avito", "pt-BR": "Avito" },
  colour: "#7a5300",
  personal: false,
  quotes: true,
  reactions: [],
  kinds: [
    { kind: "text", look: "text" },
    { kind: "image", look: "image" },
    { kind: "voice", look: "voice" },
    { kind: "location", look: "place" },
    { kind: "link", look: "link", caption: true },
    {
      kind: "item",
      look: "other",
      title: { en: "Listing", ru: "Объявление", es: "Anuncio", "pt-BR": "Anúncio" },
    },
    { kind: "call", look: "call" },
    {
      kind: "file",
      look: "other",
      title: {
        en: "File (without content)",
        ru: "Файл (без содержания)",
        es: "Archivo (sin contenido)",
        "pt-BR": "Arquivo (sem conteúdo)",
      },
    },
    {
      kind: "video",
      look: "other",
      title: {
        en: "Video (without content)",
        ru: "Видео (без содержания)",
        es: "Vídeo (sin contenido)",
        "pt-BR": "Vídeo (sem conteúdo)",
      },
    },
  ],
  acts: {
    send: act("messages", (given) => {
      const { title, ...body } = messageBody(given);
      return given.kind === "location" ? { ...body, title, text: given.text ?? title } : body;
    }),
    start: ({ person, chat }) => [
      "POST /chats",
      { user_id: Number(person), account_id: Number(chat.slice(NEW.length)) },
    ],
    delete: act("deletions", (given) => ({ message_id: targetOf(given) })),
    read: act("reads", () => ({})),
    block: act("blocks", () => ({})),
    unblock: act("unblocks", () => ({})),
  },
  logs: [
    { name: "calls", from: "gateway" },
    { name: "callbacks", from: "messenger" },
  ],
  troubles: [
    ...httpTroubles({ error_code: 429, retry_after: 3 }, () => ({ call: "messages" })),
    {
      name: "unpaid",
      title: {
        en: "The paid level ends (402)",
        ru: "Платный тариф кончился (402)",
        es: "Termina el nivel de pago (402)",
        "pt-BR": "O plano pago termina (402)",
      },
      lasts: "switch",
      begin: async (seat, admin) => [
        `POST /accounts/${await accountOf(admin, seat)}/levels`,
        { paid: false },
      ],
      end: async (seat, admin) => [`POST /accounts/${await accountOf(admin, seat)}/levels`, { paid: true }],
    },
    { ...TITLES.revoke, lasts: "once", begin: () => ["POST /tokens/revocations", {}] },
  ],
  taken: takenByCallback,
  people: async (admin) =>
    (await admin.list("/users")).map((user) => ({
      id: text(user["id"]),
      name: text(user["name"]),
      detail: `id ${text(user["id"])}`,
      devices: [],
      hasPassword: false,
    })),
  addPerson: ({ name }) => ["POST /users", { name }],
  chats: async (admin, person) => {
    const chats = await admin.list("/chats");
    const own = chats.filter((chat) => text(chat["user_id"]) === person);
    const accounts = await admin.list("/accounts");
    const unwritten = accounts.filter(({ id }) => own.every((chat) => text(chat["account_id"]) !== text(id)));
    return [
      ...own.map((chat) => ({
        id: text(chat["id"]),
        title: text(json(json(chat["context"])["value"])["title"]) || "Avito",
        detail: text(list(chat["users"])[0]?.["name"]),
        kind: "business" as const,
      })),
      ...unwritten.map((account) => ({
        id: NEW + text(account["id"]),
        title: text(account["name"]),
        detail: "",
        kind: "business" as const,
      })),
    ];
  },
  conversation: readConversation,
};
export default phone;

/** The seller of a chat. */
async function accountOf(admin: Admin, { chat }: Seat): Promise<string> {
  if (chat.startsWith(NEW)) return chat.slice(NEW.length);
  return text((await admin.ask([`GET /chats/${part(chat)}`]))["account_id"]);
}

async function readConversation(admin: Admin, { person, chat }: Seat): Promise<StoredConversation> {
  if (chat.startsWith(NEW)) return conversation([], { unstarted: true });
  const page = await admin.ask([`GET /chats/${part(chat)}/messages`]);
  return conversation(
    list(page["items"]).map((each) => readMessage(each, person)),
    { blocked: page["blocked"] === true },
  );
}

function readMessage(entry: Json, person: string): StoredMessage {
  const mine = text(entry["author_id"]) === person;
  const quote = json(entry["quote"]);
  const content = json(entry["content"]);
  return message({
    id: text(entry["id"]),
    mine,
    at: number(entry["created"]) * 1000,
    look: "text",
    kind: text(entry["type"]),
    text: text(content["text"]),
    ...readContent(text(entry["type"]), content),
    ...(quote["id"] !== undefined && {
      quote: { id: text(quote["id"]), text: text(json(quote["content"])["text"]) },
    }),
    deleted: entry["type"] === "deleted",
    state: mine ? (entry["is_read"] === true ? "read" : "sent") : null,
  });
}

function readContent(type: string, content: Json): Partial<StoredMessage> {
  const part_ = json(content[type]);
  switch (type) {
    case "text":
    case "deleted":
      return {};
    case "image": {
      const [largest = ""] = Object.values(json(part_["sizes"]));
      return { look: "image", files: [fileAt(text(largest), { mime: "image/jpeg" })] };
    }
    case "voice":
      return {
        look: "voice",
        files: [fileOf(`/files/${part(text(part_["voice_id"]))}`, { mime: "audio/mp4", name: "voice.mp4" })],
      };
    case "location":
      return { look: "place", place: placeAt(part_["lat"], part_["lon"], part_["text"]) };
    case "link":
      return { look: "link", text: [text(part_["text"]), text(part_["url"])].join("\n") };
    case "item":
      return { look: "link", text: [text(part_["title"]), text(part_["price_string"])].join(" · ") };
    case "call":
    case "appCall":
      return { look: "call" };
    case "system":
      return { look: "system" };
    default:
      return { look: "other" };
  }
}
