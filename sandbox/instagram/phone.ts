import type { Request } from "../phone/admin.ts";
import { type Admin, type Json, json, list, number, part, text } from "../phone/admin.ts";
import { messageBody, targetOf } from "../phone/body.ts";
import { conversation, fileAt, message } from "../phone/message.ts";
import type { Given, Phone, Seat, StoredConversation, StoredMessage } from "../phone/phone.ts";
import type { Look } from "../phone/shape.ts";
import { httpTroubles, TITLES } from "../phone/troubles.ts";

function act(name: string, body: (given: Given) => object) {
  return ({ person, chat }: Seat, given: Given): Request => [
    `POST /accounts/${part(chat)}/users/${part(person)}/${name}`,
    body(given),
  ];
}

const COMMENT = "comment";
const write = act("messages", messageBody);
const comment = act("comments", ({ text: words }) => ({ text: words }));

const phone: Phone = {
  title: { en: "Instagram", ru: "Instagram", es: "Instagram", "pt-BR": "Instagram" },
  colour: "#a3266b",
  personal: false,
  quotes: true,
  reactions: ["❤️", "😂", "😮", "😢", "👍"],
  kinds: [
    { kind: "text", look: "text" },
    { kind: "image", look: "image" },
    { kind: "video", look: "video" },
    { kind: "audio", look: "voice" },
    { kind: "file", look: "file" },
    {
      kind: "like_heart",
      look: "other",
      title: { en: "Heart", ru: "Сердце", es: "Corazón", "pt-BR": "Coração" },
    },
    {
      kind: "story_reply",
      look: "other",
      title: {
        en: "Reply to a story",
        ru: "Ответ на историю",
        es: "Respuesta a una historia",
        "pt-BR": "Resposta a um story",
      },
      caption: true,
    },
    {
      kind: "story_mention",
      look: "other",
      title: {
        en: "Mention in a story",
        ru: "Упоминание в истории",
        es: "Mención en una historia",
        "pt-BR": "Menção em um story",
      },
    },
    {
      kind: "ig_reel",
      look: "other",
      title: {
        en: "Shared reel",
        ru: "Отправленный рилс",
        es: "Reel compartido",
        "pt-BR": "Reel compartilhado",
      },
    },
    {
      kind: "share",
      look: "other",
      title: {
        en: "Shared post",
        ru: "Отправленная публикация",
        es: "Publicación compartida",
        "pt-BR": "Publicação compartilhada",
      },
    },
    {
      kind: COMMENT,
      look: "other",
      title: {
        en: "Comment below a post",
        ru: "Комментарий к посту",
        es: "Comentario en una publicación",
        "pt-BR": "Comentário em uma publicação",
      },
      caption: true,
    },
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
    send: (seat, given) => (given.kind === COMMENT ? comment : write)(seat, given),
    edit: act("edits", (given) => ({ message_id: targetOf(given), text: given.text })),
    delete: act("unsends", (given) => ({ message_id: targetOf(given) })),
    react: act("reactions", (given) => ({
      message_id: targetOf(given),
      ...(given.emoji === "❤️" ? { reaction: "love" } : { emoji: given.emoji }),
    })),
    press: act("presses", ({ key, message: id }) => ({ payload: key, message_id: id })),
    read: act("reads", () => ({})),
    block: act("blocks", () => ({})),
    unblock: act("unblocks", () => ({})),
  },
  logs: [
    { name: "calls", from: "gateway" },
    { name: "callbacks", from: "messenger" },
  ],
  troubles: [
    ...httpTroubles({ error_code: 613 }, () => ({ edge: "messages" })),
    { ...TITLES.revoke, lasts: "once", begin: () => ["POST /tokens/expirations", { reason: "session" }] },
  ],
  people: async (admin) =>
    (await admin.list("/users")).map((user) => ({
      id: text(user["id"]),
      name: text(user["name"]),
      detail: `@${text(user["username"])}`,
      devices: [],
      hasPassword: false,
    })),
  addPerson: ({ name }) => [
    "POST /users",
    { name, username: name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ".") },
  ],
  chats: async (admin) =>
    (await admin.list("/accounts")).map((account) => ({
      id: text(account["id"]),
      title: text(account["name"]),
      detail: `@${text(account["username"])}`,
      kind: "business" as const,
    })),
  conversation: readConversation,
};
export default phone;

async function readConversation(admin: Admin, { person, chat }: Seat): Promise<StoredConversation> {
  const [page, comments] = await Promise.all([
    admin.ask([`GET /accounts/${part(chat)}/users/${part(person)}/messages`]),
    admin.list(`/accounts/${part(chat)}/comments`),
  ]);
  const entries = list(page["items"]);
  const texts = new Map(entries.map((each) => [text(each["mid"]), text(each["text"])]));
  const own = new Set(
    comments.filter((each) => text(each["user_id"]) === person).map((each) => text(each["id"])),
  );
  const concerned = comments.filter((each) => own.has(text(each["id"])) || own.has(text(each["parent_id"])));
  const all = [
    ...entries.map((each) => readMessage(each, texts)),
    ...concerned.map((each) => readComment(each, person)),
  ];
  return conversation(
    all.toSorted((a, b) => a.at - b.at),
    { blocked: page["blocked"] === true },
  );
}

function readComment(entry: Json, person: string): StoredMessage {
  return message({
    id: text(entry["id"]),
    mine: text(entry["user_id"]) === person,
    at: number(entry["at"]),
    look: "text",
    kind: COMMENT,
    text: text(entry["text"]),
    deleted: entry["deleted"] === true || entry["hidden"] === true,
  });
}

const FILES: Readonly<Record<string, Look>> = {
  image: "image",
  video: "video",
  audio: "voice",
  file: "file",
  story_mention: "image",
  ig_reel: "video",
};

function readMessage(entry: Json, texts: ReadonlyMap<string, string>): StoredMessage {
  const reply = json(entry["reply_to"]);
  const story = text(json(reply["story"])["url"]);
  const mine = entry["direction"] === "in";
  const reactions = [text(entry["reaction"]), text(entry["own_reaction"])].filter((each) => each !== "");
  return message({
    id: text(entry["mid"]),
    mine,
    at: number(entry["at"]),
    look: "text",
    text: text(entry["text"]),
    ...readAttachments(list(entry["attachments"])),
    ...(story !== "" && { look: "image", kind: "story_reply", files: [fileAt(story)] }),
    ...(text(reply["mid"]) !== "" && {
      quote: { id: text(reply["mid"]), text: texts.get(text(reply["mid"])) ?? "" },
    }),
    buttons: list(entry["buttons"]).map((button) => [buttonOf(button)]),
    reactions: reactions.map((each) => (each === "love" ? "❤️" : "👍")),
    edited: number(entry["edits"]) > 0,
    deleted: entry["unsent"] === true,
    state: mine ? (entry["seen"] === true ? "read" : "sent") : null,
  });
}

function buttonOf({ title, payload, kind }: Json) {
  const url = text(payload);
  return { text: text(title), key: url, ...(kind === "web_url" && { url }) };
}

function readAttachments(attachments: readonly Json[]): Partial<StoredMessage> {
  const [first] = attachments;
  if (first === undefined) return {};
  const kind = text(first["type"]);
  const look = FILES[kind];
  const payload = json(first["payload"]);
  if (look !== undefined)
    return { look, kind, files: attachments.map((each) => fileAt(text(json(each["payload"])["url"]))) };
  if (kind === "like_heart") return { look: "other", kind, text: "❤️" };
  if (kind === "template") return { kind };
  const words = [text(payload["title"]), text(payload["url"])].filter((word) => word !== "");
  return {
    look: words.length > 0 ? "link" : "other",
    kind,
    ...(words.length > 0 && { text: words.join("\n") }),
  };
}
