import type { Request } from "../phone/admin.ts";
import { type Admin, type Json, json, list, number, part, text } from "../phone/admin.ts";
import { messageBody, targetOf } from "../phone/body.ts";
import { conversation, fileAt, message, placeAt } from "../phone/message.ts";
import type { Given, Phone, Seat, StoredConversation, StoredMessage } from "../phone/phone.ts";
import { httpTroubles, TITLES } from "../phone/troubles.ts";
import { REACTIONS } from "./chat/reaction.ts";

/** A chat of several people is named `<community>:<peer>`. */
function act(name: string, body: (given: Given) => object) {
  return ({ person, chat }: Seat, given: Given): Request => {
    const [community = "", peer] = chat.split(":");
    const at = `POST /communities/${part(community)}`;
    return peer === undefined
      ? [`${at}/users/${part(person)}/${name}`, body(given)]
      : [`${at}/chats/${part(peer)}/${name}`, { ...body(given), user_id: Number(person) }];
  };
}

const phone: Phone = {
  title: { en: "VK community", ru: "Сообщество VK", es: "Comunidad de VK", "pt-BR": "Comunidade do VK" },
  colour: "#2457d6",
  personal: false,
  quotes: true,
  reactions: REACTIONS,
  kinds: [
    { kind: "text", look: "text" },
    { kind: "photo", look: "image", caption: true },
    { kind: "video", look: "video", caption: true },
    { kind: "doc", look: "file", caption: true },
    { kind: "audio_message", look: "voice" },
    { kind: "audio", look: "audio", caption: true },
    { kind: "sticker", look: "sticker" },
    {
      kind: "graffiti",
      look: "other",
      title: { en: "Graffiti", ru: "Граффити", es: "Grafiti", "pt-BR": "Grafite" },
    },
    { kind: "geo", look: "place", caption: true },
    { kind: "poll", look: "poll" },
    { kind: "link", look: "link", caption: true },
    {
      kind: "wall",
      look: "other",
      title: {
        en: "Post from a wall",
        ru: "Запись со стены",
        es: "Publicación de un muro",
        "pt-BR": "Publicação de um mural",
      },
    },
    {
      kind: "market",
      look: "other",
      title: { en: "Product", ru: "Товар", es: "Producto", "pt-BR": "Produto" },
    },
    { kind: "gift", look: "other", title: { en: "Gift", ru: "Подарок", es: "Regalo", "pt-BR": "Presente" } },
    { kind: "call", look: "call" },
    { kind: "story", look: "other", title: { en: "Story", ru: "История", es: "Historia", "pt-BR": "Story" } },
  ],
  acts: {
    send: act("messages", messageBody),
    edit: act("edits", (given) => ({ conversation_message_id: targetOf(given), text: given.text })),
    delete: act("deletions", (given) => ({ conversation_message_id: targetOf(given) })),
    react: act("reactions", (given) => ({
      conversation_message_id: targetOf(given),
      ...(REACTIONS.includes(given.emoji ?? "") && { reaction_id: REACTIONS.indexOf(given.emoji ?? "") + 1 }),
    })),
    press: act("presses", ({ key = "", message: id }) => ({
      ...(JSON.parse(key) as object),
      ...(id !== undefined && { conversation_message_id: id }),
      timeout_ms: 3_000,
    })),
    read: act("reads", () => ({})),
    typing: act("typing", () => ({})),
    start: act("allowances", () => ({})),
    block: act("denials", () => ({})),
    unblock: act("allowances", () => ({})),
  },
  logs: [
    { name: "calls", from: "gateway" },
    { name: "callbacks", from: "messenger" },
  ],
  troubles: [
    ...httpTroubles({ error_code: 6 }),
    { ...TITLES.revoke, lasts: "once", begin: () => ["POST /tokens/revocations", {}] },
    {
      name: "blacklist",
      title: {
        en: "The person is on the blacklist (900)",
        ru: "Человек в чёрном списке (900)",
        es: "La persona está en la lista negra (900)",
        "pt-BR": "A pessoa está na lista de bloqueio (900)",
      },
      lasts: "switch",
      begin: (seat) => act("bans", () => ({}))(seat, {}),
      end: (seat) => act("unbans", () => ({}))(seat, {}),
    },
  ],
  people: async (admin) =>
    (await admin.list("/users")).map((user) => ({
      id: text(user["id"]),
      name: nameOf(user),
      detail: text(user["screen_name"]),
      devices: [],
      hasPassword: false,
    })),
  addPerson: ({ name }) => {
    const [first = name, ...rest] = name.split(" ");
    return ["POST /users", { first_name: first, last_name: rest.join(" ") || "Sandbox" }];
  },
  chats: async (admin) => {
    const communities = await admin.list("/communities");
    const groups = communities.map(async ({ id }) =>
      (await admin.list(`/communities/${text(id)}/chats`)).map((chat) => ({
        id: `${text(id)}:${text(chat["peer_id"])}`,
        title: text(chat["title"]),
        detail: "",
        kind: "group" as const,
      })),
    );
    const own = communities.map((community) => ({
      id: text(community["id"]),
      title: text(community["name"]),
      detail: text(community["screen_name"]),
      kind: "business" as const,
    }));
    return [...own, ...(await Promise.all(groups)).flat()];
  },
  addGroup: (admin, { title, people, account }) =>
    admin.ask([`POST /communities/${part(account)}/chats`, { title, user_ids: people.map(Number) }]),
  conversation: readConversation,
};
export default phone;

async function readConversation(admin: Admin, { person, chat }: Seat): Promise<StoredConversation> {
  const [community = "", peer] = chat.split(":");
  const at = `/communities/${part(community)}`;
  const [page, users] = await Promise.all([
    admin.ask([`GET ${at}/${peer === undefined ? `users/${part(person)}` : `chats/${part(peer)}`}/messages`]),
    admin.list("/users"),
  ]);
  const names = new Map(users.map((user) => [text(user["id"]), nameOf(user)]));
  const read = { in: number(page["in_read"]), out: number(page["out_read"]) };
  return conversation(
    list(page["items"]).map((each) => readMessage(each, { person, names, read })),
    { keyboard: buttonsOf(page["keyboard"]), blocked: page["allowed"] === false },
  );
}

interface Reader {
  readonly person: string;
  readonly names: ReadonlyMap<string, string>;
  readonly read: { readonly in: number };
}

function readMessage(entry: Json, { person, names, read }: Reader): StoredMessage {
  const id = text(entry["conversation_message_id"]);
  const from = text(entry["from_id"]);
  const mine = from === person;
  const reply = json(entry["reply_message"]);
  const action = text(json(entry["action"])["type"]);
  return message({
    id,
    mine,
    author: names.get(from) ?? "",
    at: number(entry["date"]) * 1000,
    look: "text",
    text: text(entry["text"]),
    ...readAttachments(list(entry["attachments"])),
    ...readGeo(json(entry["geo"])),
    ...(action !== "" && { look: "system", text: action.replaceAll("_", " ") }),
    ...(reply["conversation_message_id"] !== undefined && {
      quote: { id: text(reply["conversation_message_id"]), text: text(reply["text"]) },
    }),
    buttons: json(entry["keyboard"])["inline"] === true ? buttonsOf(entry["keyboard"]) : [],
    reactions: list(entry["reactions"]).map((each) => REACTIONS[number(each["reaction_id"]) - 1] ?? "❔"),
    edited: entry["update_time"] !== undefined,
    state: mine ? (number(id) <= read.in ? "read" : "sent") : null,
  });
}

function readGeo({ coordinates, place }: Json): Partial<StoredMessage> {
  if (coordinates === undefined) return {};
  const { latitude, longitude } = json(coordinates);
  return { look: "place", place: placeAt(latitude, longitude, json(place)["title"]) };
}

function readAttachments(attachments: readonly Json[]): Partial<StoredMessage> {
  const [first] = attachments;
  if (first === undefined) return {};
  const kind = text(first["type"]);
  const objects = attachments.map((each) => json(each[text(each["type"])]));
  const [object = {}] = objects;
  const name = text(object["title"]) || kind;
  switch (kind) {
    case "photo":
      return {
        look: "image",
        kind,
        files: objects.map((each) => fileAt(text(list(each["sizes"]).at(-1)?.["url"]))),
      };
    case "doc":
      return {
        look: "file",
        kind,
        files: objects.map((each) =>
          fileAt(text(each["url"]), { name: text(each["title"]), size: number(each["size"]) }),
        ),
      };
    case "audio_message":
      return { look: "voice", kind, files: [fileAt(text(object["link_mp3"]), { mime: "audio/ogg" })] };
    case "audio":
      return { look: "audio", kind, files: [fileAt(text(object["url"]), { name, mime: "audio/mpeg" })] };
    case "graffiti":
      return { look: "sticker", kind, files: [fileAt(text(object["url"]))] };
    case "sticker":
      return {
        look: "sticker",
        kind,
        files: [fileAt(text(list(object["images"]).at(2)?.["url"]), { mime: "image/png", name: kind })],
      };
    case "poll": {
      const options = list(object["answers"]).map((each) => `○ ${text(each["text"])}`);
      return { look: "poll", kind, text: [text(object["question"]), ...options].join("\n") };
    }
    case "link":
      return { look: "link", kind, text: [text(object["title"]), text(object["url"])].join("\n") };
    // VK provides no address of a video's bytes.
    case "video":
    case "call":
      return { look: kind, kind };
    default:
      return { look: "other", kind };
  }
}

/** Buttons are found by their text and data. */
function buttonsOf(keyboard: unknown) {
  const rows = json(keyboard)["buttons"];
  return (Array.isArray(rows) ? rows : []).map((row) =>
    list(row).map((button) => {
      const action = json(button["action"]);
      const { label, payload, link, type } = action;
      const url = text(link);
      return {
        text: text(label) || text(type),
        key: JSON.stringify({
          ...(label !== undefined && { label }),
          ...(payload !== undefined && { payload }),
        }),
        ...(url !== "" && { url }),
      };
    }),
  );
}

function nameOf(user: Json): string {
  return `${text(user["first_name"])} ${text(user["last_name"])}`.trim();
}
