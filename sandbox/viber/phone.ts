import type { Request } from "../phone/admin.ts";
import { type Admin, type Json, json, list, number, part, text } from "../phone/admin.ts";
import { messageBody } from "../phone/body.ts";
import { conversation, fileAt, message, placeAt } from "../phone/message.ts";
import type { Given, Phone, Seat, StoredConversation, StoredMessage } from "../phone/phone.ts";
import type { Look } from "../phone/shape.ts";
import { takenByCallback } from "../phone/taken.ts";
import { httpTroubles, TITLES } from "../phone/troubles.ts";

function act(name: string, body: (given: Given) => object) {
  return ({ person, chat }: Seat, given: Given): Request => [
    `POST /bots/${part(chat)}/users/${part(person)}/${name}`,
    body(given),
  ];
}

const phone: Phone = {
  title: { en: "Viber bot", ru: "Бот Viber", es: "Bot de Viber", "pt-BR": "Bot do Viber" },
  colour: "#7d4698",
  personal: false,
  quotes: false,
  reactions: [],
  kinds: [
    { kind: "text", look: "text" },
    { kind: "picture", look: "image", caption: true },
    { kind: "video", look: "video", caption: true },
    { kind: "file", look: "file" },
    { kind: "sticker", look: "sticker" },
    { kind: "location", look: "place" },
    { kind: "contact", look: "contact" },
    { kind: "url", look: "link" },
  ],
  acts: {
    send: act("messages", messageBody),
    press: act("presses", ({ key = "{}" }) => JSON.parse(key) as object),
    read: act("reads", () => ({})),
    start: act("opens", () => ({})),
    block: act("unsubscriptions", () => ({})),
    unblock: act("subscriptions", () => ({})),
  },
  logs: [
    { name: "calls", from: "gateway" },
    { name: "callbacks", from: "messenger" },
  ],
  troubles: [
    ...httpTroubles({ status: 12 }),
    {
      ...TITLES.ban,
      lasts: "switch",
      begin: ({ chat }) => [`POST /bots/${part(chat)}/states`, { status: 7 }],
      end: ({ chat }) => [`POST /bots/${part(chat)}/states`, { status: 0 }],
    },
    {
      name: "undeliverable",
      title: {
        en: "The newest message fails on the phone",
        ru: "Последнее сообщение не дошло до телефона",
        es: "El último mensaje falla en el teléfono",
        "pt-BR": "A última mensagem falha no telefone",
      },
      lasts: "once",
      begin: (seat) => act("failures", () => ({}))(seat, {}),
    },
    { ...TITLES.revoke, lasts: "once", begin: ({ chat }) => [`POST /bots/${part(chat)}/revocations`, {}] },
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
  addPerson: ({ name, phone: digits }) => ["POST /users", { name, ...(digits !== "" && { phone: digits }) }],
  chats: async (admin) =>
    (await admin.list("/bots")).map((bot) => ({
      id: text(bot["id"]),
      title: text(bot["name"]),
      detail: text(bot["uri"]),
      kind: "business" as const,
    })),
  conversation: readConversation,
};
export default phone;

async function readConversation(admin: Admin, { person, chat }: Seat): Promise<StoredConversation> {
  const page = await admin.ask([`GET /bots/${part(chat)}/users/${part(person)}/messages`]);
  const entries = list(page["items"]);
  // A person who has not subscribed sees the welcome message once they open the bot, and may write at once.
  return conversation(entries.map(readMessage), {
    blocked: page["subscribed"] !== true && entries.length > 0,
  });
}

const FILES: Readonly<Record<string, Look>> = {
  picture: "image",
  video: "video",
  file: "file",
  sticker: "sticker",
};

function readMessage(entry: Json): StoredMessage {
  const mine = entry["direction"] === "in";
  const events = entry["events"] as readonly string[];
  return message({
    id: text(entry["message_token"]),
    mine,
    at: number(entry["timestamp"]),
    look: "text",
    kind: text(entry["type"]),
    text: text(entry["text"]),
    ...readContent(entry),
    buttons: list(entry["buttons"]).map((button) => [buttonOf(button)]),
    state: mine ? "sent" : events.includes("failed") ? "failed" : null,
  });
}

function readContent({
  type,
  media,
  contact,
  location,
  file_name: name,
  size,
}: Json): Partial<StoredMessage> {
  const look = FILES[text(type)];
  if (look !== undefined) {
    const known =
      text(name) === "" ? {} : { name: text(name), ...(size !== undefined && { size: number(size) }) };
    return { look, files: text(media) === "" ? [] : [fileAt(text(media), known)] };
  }
  if (contact !== undefined)
    return {
      look: "contact",
      contact: { name: text(json(contact)["name"]), phone: text(json(contact)["phone_number"]) },
    };
  if (location !== undefined) {
    const { lat, lon } = json(location);
    return { look: "place", place: placeAt(lat, lon, "") };
  }
  if (type === "url") return { look: "link", text: text(media) };
  return {};
}

/** The text of buttons may contain markup. */
function buttonOf({ text: words, body, action }: Json) {
  const shown = text(words).replaceAll(/<[^>]*>/g, "");
  const key = JSON.stringify({ text: words, action_body: body });
  return { text: shown || text(action), key, ...(action === "open-url" && { url: text(body) }) };
}
