import type { Request } from "../phone/admin.ts";
import { type Admin, type Json, json, list, number, part, text } from "../phone/admin.ts";
import { messageBody, targetOf } from "../phone/body.ts";
import { conversation, fileOf, message, placeAt } from "../phone/message.ts";
import type { Given, Phone, Seat, StoredConversation, StoredMessage } from "../phone/phone.ts";
import type { Look } from "../phone/shape.ts";
import { httpTroubles, TITLES } from "../phone/troubles.ts";
import { REACTIONS } from "./reactions.ts";

const GROUP = "group:";

/** The route of an action in a private chat, or in a group, where the body names the person. */
function act(name: string, body: (given: Given) => object) {
  return ({ person, chat }: Seat, given: Given): Request =>
    chat.startsWith(GROUP)
      ? [`POST /groups/${chat.slice(GROUP.length)}/${name}`, { ...body(given), user_id: Number(person) }]
      : [`POST /bots/${part(chat)}/users/${part(person)}/${name}`, body(given)];
}

const phone: Phone = {
  title: { en: "Telegram bot", ru: "Бот Telegram", es: "Bot de Telegram", "pt-BR": "Bot do Telegram" },
  colour: "#0a6ea8",
  personal: false,
  quotes: true,
  reactions: REACTIONS,
  kinds: [
    { kind: "text", look: "text" },
    { kind: "photo", look: "image", caption: true },
    { kind: "video", look: "video", caption: true },
    { kind: "document", look: "file", caption: true },
    { kind: "voice", look: "voice", caption: true },
    { kind: "audio", look: "audio", caption: true },
    { kind: "video_note", look: "round" },
    {
      kind: "animation",
      look: "video",
      title: { en: "GIF", ru: "GIF", es: "GIF", "pt-BR": "GIF" },
      caption: true,
    },
    { kind: "sticker", look: "sticker" },
    { kind: "location", look: "place" },
    { kind: "contact", look: "contact" },
    { kind: "poll", look: "poll" },
    { kind: "dice", look: "other", title: { en: "Dice", ru: "Кубик", es: "Dado", "pt-BR": "Dado" } },
  ],
  acts: {
    send: act("messages", messageBody),
    edit: act("edits", (given) => ({ message_id: targetOf(given), text: given.text })),
    delete: act("deletions", (given) => ({ message_id: targetOf(given) })),
    react: act("reactions", (given) => ({ message_id: targetOf(given), emoji: given.emoji })),
    press: act("presses", ({ key = "", message: id }) => ({
      ...pressed(key),
      message_id: id,
      timeout_ms: 3_000,
    })),
    start: act("start", () => ({})),
    block: act("blocks", () => ({})),
    unblock: act("unblocks", () => ({})),
  },
  logs: [
    { name: "calls", from: "gateway", isRoutine: ({ method }) => method === "getUpdates" },
    { name: "updates", from: "messenger" },
  ],
  troubles: [
    ...httpTroubles({ retry_after: 3 }),
    { ...TITLES.revoke, lasts: "once", begin: ({ chat }) => [`POST /bots/${part(chat)}/revocations`, {}] },
  ],
  people: async (admin) =>
    (await admin.list("/users")).map((user) => ({
      id: text(user["id"]),
      name: nameOf(user),
      detail: text(user["username"]) === "" ? `id ${text(user["id"])}` : `@${text(user["username"])}`,
      devices: [],
      hasPassword: false,
    })),
  addPerson: ({ name }) => ["POST /users", { first_name: name }],
  chats: async (admin, person) => [
    ...(await admin.list("/bots")).map((bot) => ({
      id: text(bot["id"]),
      title: text(bot["name"]),
      detail: `@${text(bot["username"])}`,
      kind: "business" as const,
    })),
    ...(await admin.list("/groups"))
      .filter((group) => (group["user_ids"] as unknown[]).map(String).includes(person))
      .map((group) => ({
        id: GROUP + text(group["id"]),
        title: text(group["title"]),
        detail: text(group["type"]),
        kind: "group" as const,
      })),
  ],
  async addGroup(admin, { title, people, account }) {
    const group = await admin.ask(["POST /groups", { title, user_ids: people.map(Number) }]);
    const at = `/groups/${text(group["id"])}/bots`;
    if (account !== "") await admin.ask([`POST ${at}`, { bot_id: Number(account), administrator: true }]);
    return group;
  },
  conversation: readConversation,
};
export default phone;

async function readConversation(admin: Admin, { person, chat }: Seat): Promise<StoredConversation> {
  const isGroup = chat.startsWith(GROUP);
  const [first] = isGroup ? await botsOf(admin, chat) : [chat];
  const id = isGroup ? chat.slice(GROUP.length) : person;
  if (first === undefined) return conversation([]);
  const bot = first;
  const route = `/bots/${part(bot)}/chats/${part(id)}/messages`;
  const page = await admin.ask([`GET ${route}`]).catch((error: unknown) => {
    if (isGroup) throw error;
    return undefined;
  });
  if (page === undefined) return conversation([], { unstarted: true });
  const keyboard = rowsOf(page["keyboard"]).map((row) =>
    row.map((button) => ({ text: text(button["text"]), key: text(button["text"]) })),
  );
  return conversation(
    list(page["items"]).map((each) => readMessage(each, { person, bot })),
    { keyboard, blocked: page["blocked"] === true },
  );
}

/** A group's conversation is read through a bot in it. */
async function botsOf(admin: Admin, chat: string): Promise<readonly string[]> {
  const group = await admin.ask([`GET /groups/${chat.slice(GROUP.length)}`]);
  return Object.keys(json(group["bots"]));
}

const MEDIA: Readonly<Record<string, Look>> = {
  animation: "video",
  video: "video",
  video_note: "round",
  audio: "audio",
  voice: "voice",
  document: "file",
  sticker: "sticker",
};

function readMessage(entry: Json, { person, bot }: { person: string; bot: string }): StoredMessage {
  const from = json(entry["from"]);
  const reply = json(entry["reply_to_message"]);
  const content = readContent(entry, bot);
  return message({
    id: text(entry["message_id"]),
    mine: text(from["id"]) === person,
    author: nameOf(from),
    at: number(entry["date"]) * 1000,
    text: text(entry["text"]) || text(entry["caption"]),
    look: "text",
    ...content,
    buttons: rowsOf(json(entry["reply_markup"])["inline_keyboard"]).map((row) =>
      row.map((button) => ({
        text: text(button["text"]),
        key: JSON.stringify({ data: button["callback_data"], text: button["text"] }),
        ...(text(button["url"]) !== "" && { url: text(button["url"]) }),
      })),
    ),
    ...(reply["message_id"] !== undefined && {
      quote: { id: text(reply["message_id"]), text: text(reply["text"]) || text(reply["caption"]) },
    }),
    reactions: texts(entry["reactions"]),
    edited: entry["edit_date"] !== undefined,
    state: text(from["id"]) === person ? "sent" : null,
  });
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function readContent(entry: Json, bot: string): Partial<StoredMessage> {
  const photo = list(entry["photo"]).at(-1);
  if (photo !== undefined) return { look: "image", files: [fileIn(photo, bot, "image/jpeg")] };
  const kind = Object.keys(MEDIA).find((name) => entry[name] !== undefined);
  if (kind !== undefined) {
    const usual = kind === "sticker" ? "image/webp" : "video/mp4";
    return { look: MEDIA[kind] ?? "file", kind, files: [fileIn(json(entry[kind]), bot, usual)] };
  }
  const { contact, location, poll, dice } = entry;
  if (contact !== undefined)
    return {
      look: "contact",
      contact: { name: nameOf(json(contact)), phone: text(json(contact)["phone_number"]) },
    };
  if (location !== undefined) {
    const { latitude, longitude } = json(location);
    return { look: "place", place: placeAt(latitude, longitude, json(entry["venue"])["title"]) };
  }
  if (poll !== undefined) {
    const options = list(json(poll)["options"]).map((option) => `○ ${text(option["text"])}`);
    return { look: "poll", text: [text(json(poll)["question"]), ...options].join("\n") };
  }
  if (dice !== undefined)
    return { look: "other", kind: "dice", text: `${text(json(dice)["emoji"])} ${text(json(dice)["value"])}` };
  return entry["text"] === undefined ? { look: "system", text: serviceText(entry) } : {};
}

/** The text of a service message in a group. */
function serviceText(entry: Json): string {
  const joined = list(entry["new_chat_members"]).map(nameOf);
  if (joined.length > 0) return `+ ${joined.join(", ")}`;
  if (entry["left_chat_member"] !== undefined) return `− ${nameOf(json(entry["left_chat_member"]))}`;
  const title = text(entry["new_chat_title"]);
  return title === ""
    ? (Object.keys(entry)
        .filter((key) => key !== "reactions")
        .at(-1) ?? "")
    : `“${title}”`;
}

function fileIn(file: Json, bot: string, usual: string) {
  const id = text(file["file_id"]);
  return fileOf(`/bots/${part(bot)}/files/${part(id)}`, {
    mime: text(file["mime_type"]) || usual,
    name: text(file["file_name"]) || "file",
    size: number(file["file_size"]),
  });
}

function rowsOf(value: unknown): readonly (readonly Json[])[] {
  return Array.isArray(value) ? value.map(list) : [];
}

/** Buttons of a message are found by their data, those of the keyboard by their text. */
function pressed(key: string): object {
  return key.startsWith("{") ? (JSON.parse(key) as object) : { text: key };
}

function nameOf(user: Json): string {
  return `${text(user["first_name"])} ${text(user["last_name"])}`.trim();
}
