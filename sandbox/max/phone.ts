import { type Admin, type Json, json, list, number, part, text } from "../phone/admin.ts";
import { targetOf } from "../phone/body.ts";
import { conversation, fileOf, message, placeAt } from "../phone/message.ts";
import { byPerson, namesOf, personalActs, personalChats, personOf } from "../phone/personal.ts";
import type { Phone, Seat, StoredConversation, StoredMessage, TroubleSetup } from "../phone/phone.ts";
import type { Look } from "../phone/shape.ts";
import { TITLES } from "../phone/troubles.ts";
import { opcode } from "./opcode.ts";

const nameOf = (entry: Json): string => text(entry["name"]);
const session = (name: string) => (seat: Seat) =>
  [`POST /people/${part(seat.person)}/sessions/any/${name}`, {}] as const;
const sending = (effect: object) => () => ({ opcode: opcode.msgSend, ...effect, times: 0 });

const troubles: readonly TroubleSetup[] = [
  { ...TITLES.limit, lasts: "switch", fault: sending({ error: "too.many.requests" }) },
  { ...TITLES.slow, lasts: "switch", fault: sending({ hang_ms: 3_000 }) },
  { ...TITLES.drop, lasts: "switch", fault: sending({ drop: "before" }) },
  { ...TITLES.lost, lasts: "switch", fault: sending({ drop: "after" }) },
  { ...TITLES.silent, lasts: "switch", fault: sending({ silent: "before" }) },
  {
    ...TITLES.restrict,
    lasts: "switch",
    begin: ({ person }) => [`POST /people/${part(person)}/restrictions`, { seconds: 86_400 }],
    end: ({ person }) => [`POST /people/${part(person)}/restrictions`, { seconds: 0 }],
  },
  {
    ...TITLES.ban,
    lasts: "switch",
    begin: ({ person }) => [`POST /people/${part(person)}/bans`, {}],
    end: ({ person }) => [`POST /people/${part(person)}/unbans`, {}],
  },
  { ...TITLES.freeze, lasts: "switch", begin: session("freezes"), end: session("thaws") },
  { ...TITLES.cut, lasts: "once", begin: session("drops") },
  {
    ...TITLES.replaced,
    lasts: "once",
    begin: ({ person }) => [`POST /people/${part(person)}/logins`, { ends_others: true }],
  },
];

const phone: Phone = {
  title: { en: "MAX", ru: "MAX", es: "MAX", "pt-BR": "MAX" },
  colour: "#6f4bc0",
  personal: true,
  quotes: true,
  reactions: ["👍", "❤️", "😂", "😮", "😢", "🔥"],
  kinds: [
    { kind: "text", look: "text" },
    { kind: "photo", look: "image", caption: true },
    { kind: "video", look: "video", caption: true },
    { kind: "file", look: "file", caption: true },
    { kind: "voice", look: "voice" },
    { kind: "video_note", look: "round" },
    { kind: "sticker", look: "sticker" },
    { kind: "location", look: "place" },
    { kind: "contact", look: "contact" },
    { kind: "poll", look: "poll" },
    { kind: "share", look: "link" },
    { kind: "call", look: "call" },
  ],
  acts: {
    ...personalActs,
    react: byPerson("reactions", (given) => ({ message_id: targetOf(given), emoji: given.emoji ?? "" })),
  },
  logs: [
    { name: "calls", from: "gateway", isRoutine: ({ name }) => name === "PING" },
    { name: "acks", from: "gateway", isRoutine: () => true },
    { name: "events", from: "note" },
  ],
  troubles,
  inbox: (person) => `/people/${part(person)}/inbox`,
  people: async (admin) =>
    Promise.all(
      (await admin.list("/people")).map(async (each) =>
        personOf(each, { name: nameOf(each), devices: await sessionsOf(admin, text(each["phone"])) }),
      ),
    ),
  addPerson: (given) => ["POST /people", given],
  chats: (admin, person) => personalChats(admin, person, { nameOf, groups: readGroups }),
  addGroup: (admin, { title, people }) => admin.ask(["POST /groups", { title, participants: people }]),
  linking: {
    scan: (person, qr) => [`POST /people/${part(person)}/scans`, { qr }],
    password: (person, password) => [
      `POST /people/${part(person)}/passwords`,
      password === null ? {} : { password },
    ],
    unlink: (person, id) => [`DELETE /people/${part(person)}/sessions/${part(id)}`],
  },
  conversation: readConversation,
};
export default phone;

async function sessionsOf(admin: Admin, person: string) {
  return (await admin.list(`/people/${part(person)}/sessions`)).map((login) => ({
    id: text(login["session"]),
    name: text(login["client"]) || `#${text(login["session"])}`,
    online: login["online"] === true,
  }));
}

async function readGroups(admin: Admin) {
  return (await admin.list("/groups")).map((group) => ({
    id: text(group["id"]),
    title: text(group["title"]),
    members: (group["participants"] as unknown[]).map(String),
  }));
}

async function readConversation(admin: Admin, { person, chat }: Seat): Promise<StoredConversation> {
  const at = `/people/${part(person)}`;
  const [people, entries, names] = await Promise.all([
    admin.list("/people"),
    admin.list(`${at}/chats/${part(chat)}/messages`),
    namesOf(admin, nameOf),
  ]);
  const texts = new Map(entries.map((each) => [text(each["message_id"]), text(each["text"])]));
  const own = people.find((each) => text(each["phone"]) === person);
  const other = people.find((each) => text(each["phone"]) === chat);
  const blocks = Array.isArray(own?.["blocks"]) ? own["blocks"].map(String) : [];
  return conversation(
    entries.map((each) => readMessage(each, { person, chat, names, texts })),
    { blocked: blocks.includes(text(other?.["user_id"])) },
  );
}

const LOOKS: Readonly<Record<string, Look>> = {
  PHOTO: "image",
  VIDEO: "video",
  AUDIO: "voice",
  FILE: "file",
  STICKER: "sticker",
  CONTACT: "contact",
  LOCATION: "place",
  POLL: "poll",
  SHARE: "link",
  CALL: "call",
  CONTROL: "system",
};

interface Reader extends Seat {
  readonly names: ReadonlyMap<string, string>;
  readonly texts: ReadonlyMap<string, string>;
}

function readMessage(entry: Json, reader: Reader): StoredMessage {
  const { person, names, texts } = reader;
  const from = text(entry["from"]);
  const mine = from === person;
  const link = json(entry["link"]);
  const quoted = link["type"] === "REPLY" ? text(link["message_id"]) : "";
  const readBy = (entry["read_by"] as unknown[]).map(String);
  return message({
    id: text(entry["message_id"]),
    mine,
    author: names.get(from) ?? from,
    at: number(entry["time"]),
    look: "text",
    kind: text(entry["kind"]),
    text: text(entry["text"]),
    ...readAttaches(list(entry["attaches"]), { ...reader, message: text(entry["message_id"]) }),
    ...(quoted !== "" && { quote: { id: quoted, text: texts.get(quoted) ?? "" } }),
    reactions: Object.values(json(entry["reactions"])).map(String),
    edited: entry["status"] === "EDITED",
    deleted: entry["status"] === "REMOVED",
    state: mine ? (readBy.some((each) => each !== person) ? "read" : "sent") : null,
  });
}

function readAttaches(
  attaches: readonly Json[],
  { person, chat, message: id }: Seat & { readonly message: string },
): Partial<StoredMessage> {
  const [first] = attaches;
  if (first === undefined) return {};
  const look = LOOKS[text(first["type"])] ?? "other";
  const route = `/people/${part(person)}/chats/${part(chat)}/messages/${part(id)}/file`;
  const files = attaches.flatMap((each, index) =>
    each["file_id"] === undefined
      ? []
      : [
          fileOf(`${route}?index=${index}`, {
            mime: text(each["mime_type"]),
            name: text(each["name"]),
            size: number(each["size"]),
          }),
        ],
  );
  const round = first["video_type"] === 1 && { look: "round" as const };
  return { look, files, ...round, ...readPlain(look, first) };
}

function readPlain(look: Look, attach: Json): Partial<StoredMessage> {
  if (look === "contact") return { contact: { name: text(attach["name"]), phone: text(attach["phone"]) } };
  if (look === "place") return { place: placeAt(attach["latitude"], attach["longitude"], "") };
  if (look === "link") return { text: [text(attach["title"]), text(attach["url"])].join("\n") };
  if (look === "system") return { text: [text(attach["event"]), text(attach["title"])].join(" ").trim() };
  if (look === "sticker")
    return { text: (attach["tags"] as unknown[] | undefined)?.map(String).join("") ?? "" };
  if (look !== "poll") return {};
  const options = list(attach["answers"]).map((answer) => `○ ${text(answer["text"])}`);
  return { text: [text(attach["title"]), ...options].join("\n") };
}
