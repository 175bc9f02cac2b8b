import type { Request } from "../phone/admin.ts";
import { type Admin, type Json, json, list, number, part, text } from "../phone/admin.ts";
import { messageBody, targetOf } from "../phone/body.ts";
import { conversation, fileAt, message, placeAt, readVcard } from "../phone/message.ts";
import type { Given, Phone, Seat, StoredConversation, StoredMessage } from "../phone/phone.ts";
import { httpTroubles, TITLES } from "../phone/troubles.ts";

const GROUP = "group:";

function act(name: string, body: (given: Given) => object) {
  return ({ person, chat }: Seat, given: Given): Request =>
    chat.startsWith(GROUP)
      ? [`POST /groups/${chat.slice(GROUP.length)}/${name}`, { ...body(given), user_id: Number(person) }]
      : [`POST /bots/${part(chat)}/users/${part(person)}/${name}`, body(given)];
}

const phone: Phone = {
  title: { en: "MAX bot", ru: "Бот MAX", es: "Bot de MAX", "pt-BR": "Bot do MAX" },
  colour: "#5b3fa8",
  personal: false,
  quotes: true,
  reactions: [],
  kinds: [
    { kind: "text", look: "text" },
    { kind: "image", look: "image", caption: true },
    { kind: "video", look: "video", caption: true },
    { kind: "file", look: "file", caption: true },
    { kind: "voice", look: "voice" },
    { kind: "sticker", look: "sticker" },
    { kind: "location", look: "place" },
    { kind: "contact", look: "contact" },
    { kind: "share", look: "link" },
  ],
  acts: {
    send: act("messages", messageBody),
    edit: act("edits", (given) => ({ mid: targetOf(given), text: given.text })),
    delete: act("deletions", (given) => ({ mid: targetOf(given) })),
    press: act("presses", ({ key = "{}", message: mid }) => ({
      ...(JSON.parse(key) as object),
      mid,
      timeout_ms: 3_000,
    })),
    start: act("start", () => ({})),
    block: act("stop", () => ({})),
    unblock: act("start", () => ({})),
  },
  logs: [
    { name: "calls", from: "gateway", isRoutine: ({ path }) => text(path).startsWith("/updates") },
    { name: "callbacks", from: "messenger" },
  ],
  troubles: [
    ...httpTroubles({ code: "too.many.requests", retry_after: 3 }),
    { ...TITLES.revoke, lasts: "once", begin: ({ chat }) => [`POST /bots/${part(chat)}/revocations`, {}] },
  ],
  people: async (admin) =>
    (await admin.list("/users")).map((user) => ({
      id: text(user["user_id"]),
      name: `${text(user["first_name"])} ${text(user["last_name"])}`.trim(),
      detail: `+${text(user["phone"])}`,
      devices: [],
      hasPassword: false,
    })),
  addPerson: ({ name, phone: digits }) => [
    "POST /users",
    { first_name: name, ...(digits !== "" && { phone: digits }) },
  ],
  chats: async (admin, person) => [
    ...(await admin.list("/bots")).map((bot) => ({
      id: text(bot["user_id"]),
      title: text(bot["name"]),
      detail: `@${text(bot["username"])}`,
      kind: "business" as const,
    })),
    ...(await admin.list("/groups"))
      .filter((group) => (group["user_ids"] as unknown[]).map(String).includes(person))
      .map((group) => ({
        id: GROUP + text(group["chat_id"]),
        title: text(group["title"]),
        detail: text(group["type"]),
        kind: "group" as const,
      })),
  ],
  async addGroup(admin, { title, people, account }) {
    const group = await admin.ask(["POST /groups", { title, user_ids: people.map(Number) }]);
    const at = `/groups/${text(group["chat_id"])}/bots`;
    if (account !== "") await admin.ask([`POST ${at}`, { bot_id: Number(account) }]);
    return group;
  },
  conversation: readConversation,
};
export default phone;

async function readConversation(admin: Admin, { person, chat }: Seat): Promise<StoredConversation> {
  const at = chat.startsWith(GROUP)
    ? `/groups/${chat.slice(GROUP.length)}`
    : `/bots/${part(chat)}/users/${part(person)}`;
  const page = await admin.ask([`GET ${at}/messages`]).catch(() => undefined);
  if (page === undefined) return conversation([], { unstarted: true });
  return conversation(
    list(page["items"]).map((each) => readMessage(each, person)),
    { blocked: page["suspended"] === true },
  );
}

function readMessage(entry: Json, person: string): StoredMessage {
  const sender = json(entry["sender"]);
  const body = json(entry["body"]);
  const link = json(entry["link"]);
  const attachments = list(body["attachments"]);
  const quoted = json(link["message"]);
  const mine = entry["from_bot"] !== true && text(sender["user_id"]) === person;
  return message({
    id: text(body["mid"]),
    mine,
    author: text(sender["name"]),
    at: number(entry["timestamp"]),
    look: "text",
    text: text(body["text"]) || text(quoted["text"]),
    ...readAttachments(
      attachments.filter(
        ({ type, payload }) =>
          type !== "inline_keyboard" && !(type === "share" && isPreview(text(json(payload)["url"]), body)),
      ),
    ),
    ...(link["type"] === "reply" && {
      quote: { id: text(quoted["mid"]), text: text(quoted["text"]) },
      text: text(body["text"]),
    }),
    buttons: buttonsOf(attachments.find(({ type }) => type === "inline_keyboard")),
    state: mine ? "sent" : null,
  });
}

/** A share of an address that stands in the text is the preview that MAX added. */
function isPreview(url: string, body: Json): boolean {
  return text(body["text"]).includes(url);
}

function readAttachments(attachments: readonly Json[]): Partial<StoredMessage> {
  const [first] = attachments;
  if (first === undefined) return {};
  const kind = text(first["type"]);
  const payload = json(first["payload"]);
  const file = (mime: string) => [
    fileAt(text(payload["url"]), {
      mime,
      name: text(first["filename"]) || kind,
      ...(first["size"] !== undefined && { size: number(first["size"]) }),
    }),
  ];
  switch (kind) {
    case "image":
      return {
        look: "image",
        kind,
        files: attachments.map((each) =>
          fileAt(text(json(each["payload"])["url"]), { mime: "image/jpeg", name: kind }),
        ),
      };
    case "video":
      return { look: "video", kind, files: file("video/mp4") };
    case "audio":
      return { look: "voice", kind, files: file("audio/mpeg") };
    case "file":
      return { look: "file", kind, files: file("application/octet-stream") };
    case "sticker":
      return { look: "sticker", kind, files: file("image/webp") };
    case "contact":
      return { look: "contact", kind, contact: readVcard(text(payload["vcf_info"])) };
    case "location":
      return { look: "place", kind, place: placeAt(first["latitude"], first["longitude"], "") };
    case "share":
      return { look: "link", kind, text: [text(first["title"]), text(payload["url"])].join("\n") };
    default:
      return { look: "other", kind };
  }
}

function buttonsOf(keyboard: Json | undefined) {
  const rows = json(keyboard?.["payload"])["buttons"];
  return (Array.isArray(rows) ? rows : []).map((row) =>
    list(row).map((button) => ({
      text: text(button["text"]),
      key: JSON.stringify({ text: button["text"], payload: button["payload"] }),
      ...(text(button["url"]) !== "" && { url: text(button["url"]) }),
    })),
  );
}
