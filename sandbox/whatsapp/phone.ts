import { type Admin, type Json, json, list, part, text } from "../phone/admin.ts";
import { targetOf } from "../phone/body.ts";
import { conversation, fileOf, message, placeAt, readVcard } from "../phone/message.ts";
import { byPerson, namesOf, personalActs, personalChats, personOf, phonesIn } from "../phone/personal.ts";
import type { Phone, Seat, StoredConversation, StoredMessage, TroubleSetup } from "../phone/phone.ts";
import type { Look } from "../phone/shape.ts";
import { TITLES } from "../phone/troubles.ts";

const nameOf = (entry: Json): string => text(entry["name"]);
const device = (name: string) => (seat: Seat) =>
  [`POST /people/${part(seat.person)}/devices/any/${name}`, {}] as const;

const troubles: readonly TroubleSetup[] = [
  { ...TITLES.limit, lasts: "switch", fault: ({ person }) => ({ phone: person, error_code: 429, times: 0 }) },
  { ...TITLES.silent, lasts: "switch", fault: ({ person }) => ({ phone: person, times: 0 }) },
  {
    ...TITLES.restrict,
    lasts: "switch",
    begin: ({ person }) => [`POST /people/${part(person)}/restrictions`, { seconds: 86_400 }],
    end: ({ person }) => [`POST /people/${part(person)}/restrictions`, { seconds: 0 }],
  },
  { ...TITLES.freeze, lasts: "switch", begin: device("freezes"), end: device("thaws") },
  { ...TITLES.cut, lasts: "once", begin: device("drops") },
  { ...TITLES.replaced, lasts: "once", begin: device("replacements") },
  {
    name: "reinstalled",
    title: {
      en: "The phone is set up anew: new keys",
      ru: "Телефон настроен заново: новые ключи",
      es: "El teléfono se configura de nuevo: claves nuevas",
      "pt-BR": "O telefone é configurado de novo: chaves novas",
    },
    lasts: "once",
    begin: ({ person }) => [`POST /people/${part(person)}/reinstallations`, {}],
  },
];

const phone: Phone = {
  title: { en: "WhatsApp", ru: "WhatsApp", es: "WhatsApp", "pt-BR": "WhatsApp" },
  colour: "#0a7a3d",
  personal: true,
  quotes: true,
  reactions: ["👍", "❤️", "😂", "😮", "😢", "🙏"],
  kinds: [
    { kind: "text", look: "text" },
    { kind: "image", look: "image", caption: true },
    { kind: "video", look: "video", caption: true },
    { kind: "document", look: "file", caption: true },
    { kind: "voice", look: "voice" },
    { kind: "audio", look: "audio" },
    { kind: "video_note", look: "round" },
    { kind: "gif", look: "video", title: { en: "GIF", ru: "GIF", es: "GIF", "pt-BR": "GIF" }, caption: true },
    { kind: "sticker", look: "sticker" },
    { kind: "location", look: "place" },
    { kind: "contact", look: "contact" },
    { kind: "poll", look: "poll" },
    {
      kind: "view_once",
      look: "image",
      title: {
        en: "Photo to see once",
        ru: "Фото на один просмотр",
        es: "Foto de una sola vista",
        "pt-BR": "Foto de visualização única",
      },
    },
  ],
  acts: {
    ...personalActs,
    edit: byPerson("edits", (given, { chat }) => ({
      message_id: targetOf(given),
      text: given.text,
      to: chat,
    })),
    delete: byPerson("deletions", (given, { chat }) => ({ message_id: targetOf(given), to: chat })),
    react: byPerson("reactions", (given, { chat }) => ({
      message_id: targetOf(given),
      emoji: given.emoji ?? "",
      to: chat,
    })),
    read: byPerson("reads", () => ({})),
    call: byPerson("calls", (_, { chat }) => ({ to: chat })),
  },
  logs: [
    { name: "sent", from: "gateway" },
    { name: "iqs", from: "gateway", isRoutine: ({ xmlns }) => xmlns === "w:p" || xmlns === "urn:xmpp:ping" },
    { name: "receipts", from: "gateway" },
    { name: "acks", from: "gateway", isRoutine: () => true },
    { name: "events", from: "note" },
  ],
  troubles,
  inbox: (person) => `/people/${part(person)}/inbox`,
  async taken(admin) {
    // A linked device in the background confirms as inactive.
    const receipts = (await admin.list("/receipts")).filter(({ type }) =>
      ["delivery", "inactive", "read"].includes(text(type)),
    );
    const ids = new Set(receipts.flatMap((receipt) => receipt["message_ids"] as readonly string[]));
    return (message) => ids.has(message);
  },
  people: async (admin) =>
    (await admin.list("/people")).map((each) =>
      personOf(each, {
        name: nameOf(each),
        devices: list(each["devices"]).map((linked) => ({
          id: text(linked["device"]),
          name: text(linked["jid"]),
          online: linked["online"] === true,
        })),
      }),
    ),
  addPerson: (given) => ["POST /people", given],
  chats: (admin, person) => personalChats(admin, person, { nameOf, groups: readGroups }),
  addGroup: (admin, { title, people }) =>
    admin.ask(["POST /groups", { subject: title, participants: people }]),
  linking: {
    scan: (person, qr) => [`POST /people/${part(person)}/scans`, { qr }],
    code: (person, code) => [`POST /people/${part(person)}/codes`, { code }],
    unlink: (person, id) => [`DELETE /people/${part(person)}/devices/${part(id)}`],
  },
  conversation: readConversation,
};
export default phone;

async function readGroups(admin: Admin) {
  return (await admin.list("/groups")).map((group) => ({
    id: text(group["id"]),
    title: text(group["subject"]),
    members: phonesIn(group["participants"]),
  }));
}

async function readConversation(admin: Admin, { person, chat }: Seat): Promise<StoredConversation> {
  const at = `/people/${part(person)}`;
  const [owner, entries, names] = await Promise.all([
    admin.ask([`GET ${at}`]),
    admin.list(`${at}/chats/${part(chat)}/messages`),
    namesOf(admin, nameOf),
  ]);
  const texts = new Map(entries.map((each) => [text(each["message_id"]), text(each["text"])]));
  const blocked = (owner["blocked"] as unknown[]).map(String).includes(chat);
  return conversation(
    entries.map((each) => readMessage(each, { person, chat, names, texts })),
    { blocked },
  );
}

const LOOKS: Readonly<Record<string, Look>> = {
  text: "text",
  image: "image",
  video: "video",
  gif: "video",
  video_note: "round",
  audio: "audio",
  voice: "voice",
  document: "file",
  sticker: "sticker",
  contact: "contact",
  contacts: "contact",
  location: "place",
  live_location: "place",
  poll: "poll",
};

interface Reader extends Seat {
  readonly names: ReadonlyMap<string, string>;
  readonly texts: ReadonlyMap<string, string>;
}

function readMessage(entry: Json, { person, chat, names, texts }: Reader): StoredMessage {
  const [id, from, kind] = [text(entry["message_id"]), text(entry["from"]), text(entry["kind"])];
  const mine = from === person;
  const readBy = (entry["read_by"] as unknown[]).map(String);
  const quoted = text(entry["quoted_id"]);
  const mime = text(entry["mime_type"]);
  const details = json(entry["details"]);
  const route = `/people/${part(person)}/chats/${part(chat)}/messages/${part(id)}/file`;
  return message({
    id,
    mine,
    author: names.get(from) ?? from,
    at: Date.parse(text(entry["at"])),
    look: LOOKS[kind] ?? "other",
    kind,
    text: text(entry["text"]),
    files: mime === "" ? [] : [fileOf(route, { mime, name: text(details["name"]) || kind })],
    ...readDetails(LOOKS[kind], text(entry["text"]), details),
    ...(quoted !== "" && { quote: { id: quoted, text: texts.get(quoted) ?? "" } }),
    reactions: Object.values(json(entry["reactions"])).map(String),
    edited: entry["edited"] === true,
    deleted: entry["deleted"] === true,
    state: mine ? (readBy.some((each) => each !== person) ? "read" : "sent") : null,
  });
}

function readDetails(look: Look | undefined, said: string, details: Json): Partial<StoredMessage> {
  if (look === "place") return { place: placeAt(details["latitude"], details["longitude"], said), text: "" };
  if (look === "contact") return { contact: readVcard(text(details["vcard"])), text: "" };
  if (look !== "poll") return {};
  const options = Array.isArray(details["options"])
    ? details["options"].map((each) => `○ ${text(each)}`)
    : [];
  return { text: [said, ...options].join("\n") };
}
