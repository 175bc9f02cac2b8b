import { type Admin, type Json, json, list, number, part, text } from "../phone/admin.ts";
import { targetOf } from "../phone/body.ts";
import { conversation, fileOf, message, placeAt } from "../phone/message.ts";
import { byPerson, namesOf, personalActs, personalChats, personOf, phonesIn } from "../phone/personal.ts";
import type { Phone, Seat, StoredConversation, StoredMessage, TroubleSetup } from "../phone/phone.ts";
import type { Look } from "../phone/shape.ts";
import { TITLES } from "../phone/troubles.ts";
import { reactionEmoji } from "./world/react.ts";

const nameOf = (entry: Json): string => `${text(entry["first_name"])} ${text(entry["last_name"])}`.trim();
const session = (name: string) => (seat: Seat) =>
  [`POST /people/${part(seat.person)}/sessions/any/${name}`, {}] as const;

const troubles: readonly TroubleSetup[] = [
  {
    ...TITLES.limit,
    lasts: "switch",
    fault: () => ({ method: "messages.sendMessage", error: "FLOOD_WAIT_3", times: 0 }),
  },
  {
    ...TITLES.lost,
    lasts: "switch",
    fault: () => ({ method: "messages.sendMessage", kind: "drop", times: 0 }),
  },
  {
    ...TITLES.silent,
    lasts: "switch",
    fault: () => ({ method: "messages.sendMessage", kind: "silence", times: 0 }),
  },
  {
    ...TITLES.restrict,
    lasts: "switch",
    begin: ({ person }) => [`POST /people/${part(person)}/restrictions`, { seconds: 86_400 }],
    end: ({ person }) => [`POST /people/${part(person)}/restrictions`, { seconds: 0 }],
  },
  { ...TITLES.freeze, lasts: "switch", begin: session("freezes"), end: session("thaws") },
  { ...TITLES.cut, lasts: "once", begin: session("drops") },
  { ...TITLES.replaced, lasts: "once", begin: session("duplicates") },
  { ...TITLES.ban, lasts: "once", begin: ({ person }) => [`POST /people/${part(person)}/bans`, {}] },
];

const phone: Phone = {
  title: { en: "Telegram", ru: "Telegram", es: "Telegram", "pt-BR": "Telegram" },
  colour: "#23616d",
  personal: true,
  quotes: true,
  reactions: [...reactionEmoji],
  kinds: [
    { kind: "text", look: "text" },
    { kind: "photo", look: "image", caption: true },
    { kind: "video", look: "video", caption: true },
    { kind: "document", look: "file", caption: true },
    { kind: "voice", look: "voice" },
    { kind: "audio", look: "audio", caption: true },
    { kind: "video_note", look: "round" },
    { kind: "gif", look: "video", title: { en: "GIF", ru: "GIF", es: "GIF", "pt-BR": "GIF" } },
    { kind: "sticker", look: "sticker" },
    { kind: "location", look: "place" },
    { kind: "contact", look: "contact" },
    { kind: "poll", look: "poll" },
    { kind: "dice", look: "other", title: { en: "Dice", ru: "Кубик", es: "Dado", "pt-BR": "Dado" } },
    { kind: "story", look: "other", title: { en: "Story", ru: "История", es: "Historia", "pt-BR": "Story" } },
  ],
  acts: {
    ...personalActs,
    react: byPerson("reactions", (given, { chat }) => ({
      chat,
      message_id: targetOf(given),
      emoji: given.emoji,
    })),
    call: byPerson("calls", (_, { chat }) => ({ to: chat })),
  },
  logs: [
    { name: "calls", from: "gateway" },
    { name: "sent", from: "gateway" },
    { name: "events", from: "note" },
  ],
  troubles,
  inbox: (person) => `/people/${part(person)}/inbox`,
  people: async (admin) =>
    (await admin.list("/people")).map((each) =>
      personOf(each, {
        name: nameOf(each),
        devices: list(each["sessions"]).map((login) => ({
          id: text(login["session"]),
          name: [text(login["device_model"]), text(login["app_version"])].join(" ").trim(),
          online: login["online"] === true,
        })),
      }),
    ),
  addPerson: ({ name, phone: digits }) => ["POST /people", { phone: digits, first_name: name }],
  chats: (admin, person) => personalChats(admin, person, { nameOf, groups: readGroups }),
  addGroup: (admin, { title, people }) => admin.ask(["POST /groups", { title, participants: people }]),
  linking: {
    scan: (person, qr) => [`POST /people/${part(person)}/scans`, { qr }],
    password: (person, password) =>
      password === null
        ? [`DELETE /people/${part(person)}/passwords`]
        : [`POST /people/${part(person)}/passwords`, { password }],
    unlink: (person, id) => [`DELETE /people/${part(person)}/sessions/${part(id)}`],
  },
  conversation: readConversation,
};
export default phone;

async function readGroups(admin: Admin) {
  return (await admin.list("/groups")).map((group) => ({
    id: text(group["id"]),
    title: text(group["title"]),
    members: phonesIn(group["members"]),
  }));
}

async function readConversation(admin: Admin, { person, chat }: Seat): Promise<StoredConversation> {
  const at = `/people/${part(person)}`;
  const [owner, entries, names, codes] = await Promise.all([
    admin.ask([`GET ${at}`]),
    admin.list(`${at}/chats/${part(chat)}/messages`),
    namesOf(admin, nameOf),
    admin.list(`${at}/codes`).catch(() => []),
  ]);
  const texts = new Map(entries.map((each) => [text(each["message_id"]), text(each["text"])]));
  const blocked = (owner["blocked"] as unknown[]).map(String).includes(chat);
  const shown = entries.map((each) => readMessage(each, { person, chat, names, texts }));
  return conversation([...shown, ...codes.map(codeMessage)], { blocked });
}

/** The message of Telegram's own account about a login. */
function codeMessage({ code }: Json): StoredMessage {
  return message({
    id: `code ${text(code)}`,
    mine: false,
    at: Date.now(),
    look: "system",
    text: `Login code: ${text(code)}`,
  });
}

const LOOKS: Readonly<Record<string, Look>> = {
  text: "text",
  photo: "image",
  video: "video",
  gif: "video",
  video_note: "round",
  document: "file",
  voice: "voice",
  audio: "audio",
  sticker: "sticker",
  animated_sticker: "sticker",
  video_sticker: "sticker",
  contact: "contact",
  geo: "place",
  live_location: "place",
  venue: "place",
  poll: "poll",
  call: "call",
  service: "system",
};

interface Reader extends Seat {
  readonly names: ReadonlyMap<string, string>;
  readonly texts: ReadonlyMap<string, string>;
}

function readMessage(entry: Json, { person, chat, names, texts }: Reader): StoredMessage {
  const [id, from, kind] = [text(entry["message_id"]), text(entry["from"]), text(entry["kind"])];
  const quoted = text(entry["reply_to"]);
  const mime = text(entry["mime_type"]);
  const route = `/people/${part(person)}/chats/${part(chat)}/messages/${part(id)}/file`;
  const mine = from === person;
  return message({
    id,
    mine,
    author: names.get(from) ?? from,
    at: Date.parse(text(entry["at"])),
    look: LOOKS[kind] ?? "other",
    kind,
    text: text(entry["text"]),
    files: mime === "" ? [] : [fileOf(route, { mime, name: kind, size: number(entry["size"]) })],
    ...readMedia(json(entry["media"])),
    ...(quoted !== "" && { quote: { id: quoted, text: texts.get(quoted) ?? "" } }),
    reactions: list(entry["reactions"]).map(({ emoji }) => text(emoji)),
    edited: entry["edited"] === true,
    state: mine ? "sent" : null,
  });
}

/** Media without bytes: https://core.telegram.org/type/MessageMedia */
function readMedia(media: Json): Partial<StoredMessage> {
  const geo = json(media["geo"]);
  if (geo["lat"] !== undefined)
    return { look: "place", place: placeAt(geo["lat"], geo["long"], media["title"]) };
  if (media["phoneNumber"] !== undefined)
    return {
      look: "contact",
      contact: {
        name: `${text(media["firstName"])} ${text(media["lastName"])}`.trim(),
        phone: text(media["phoneNumber"]),
      },
    };
  if (media["poll"] !== undefined) {
    const { question, answers } = json(media["poll"]);
    const options = list(answers).map((answer) => `○ ${text(json(answer["text"])["text"])}`);
    return { look: "poll", text: [text(json(question)["text"]), ...options].join("\n") };
  }
  if (media["emoticon"] !== undefined)
    return { look: "other", text: `${text(media["emoticon"])} ${text(media["value"])}` };
  return {};
}
