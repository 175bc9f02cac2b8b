import { isRecord } from "../../http/fields.ts";
import { badRequest } from "../call/api-error.ts";
import type { Arguments } from "../call/arguments.ts";
import type { Call } from "../call/call.ts";
import { note, post, readEnvelope } from "../chat/outgoing.ts";
import { newPoll } from "../chat/poll.ts";
import { writableChat } from "../chat/target.ts";
import type { Location, Message } from "../shape.ts";

/** https://core.telegram.org/bots/api#sendlocation */
export function sendLocation(call: Call): Message {
  const location = readLocation(call.args);
  return post(call, readEnvelope(call), { location });
}

/** https://core.telegram.org/bots/api#sendvenue */
export function sendVenue(call: Call): Message {
  const location = readLocation(call.args);
  const title = needText(call.args, "title", "venue title");
  const address = needText(call.args, "address", "venue address");
  return post(call, readEnvelope(call), { location, venue: { location, title, address } });
}

/** https://core.telegram.org/bots/api#sendcontact */
export function sendContact(call: Call): Message {
  const { args } = call;
  const contact = {
    phone_number: needText(args, "phone_number", "contact phone number"),
    first_name: needText(args, "first_name", "contact first name"),
    ...(args.text("last_name") !== "" && { last_name: args.text("last_name") }),
    ...(args.text("vcard") !== "" && { vcard: args.text("vcard") }),
  };
  return post(call, readEnvelope(call), { contact });
}

/** https://core.telegram.org/bots/api#sendpoll */
export function sendPoll(call: Call): Message {
  const { args } = call;
  const question = args.text("question").trim();
  if (question === "") throw badRequest("poll question must be non-empty");
  if (question.length > 300) throw badRequest("poll question length must not exceed 300");
  const settings = {
    is_anonymous: args.text("is_anonymous") === "" || args.flag("is_anonymous"),
    type: args.text("type") === "quiz" ? "quiz" : "regular",
    allows_multiple_answers: args.flag("allows_multiple_answers"),
    is_closed: args.flag("is_closed"),
  };
  const poll = newPoll(question, readOptions(args), settings);
  return post(call, readEnvelope(call), { poll });
}

/** https://core.telegram.org/bots/api#senddice */
export function sendDice(call: Call): Message {
  const emoji = call.args.text("emoji") || "🎲";
  const sides = { "🎲": 6, "🎯": 6, "🎳": 6, "🏀": 5, "⚽": 5, "🎰": 64 }[emoji];
  if (!sides) throw badRequest("wrong dice emoji specified");
  return post(call, readEnvelope(call), { dice: { emoji, value: 1 + Math.floor(Math.random() * sides) } });
}

const chatActions: ReadonlySet<string> = new Set([
  "typing",
  "upload_photo",
  "record_video",
  "upload_video",
  "record_voice",
  "upload_voice",
  "record_audio",
  "upload_audio",
  "upload_document",
  "choose_sticker",
  "find_location",
  "record_video_note",
  "upload_video_note",
]);

/** https://core.telegram.org/bots/api#sendchataction */
export function sendChatAction(call: Call): true {
  if (!chatActions.has(call.args.text("action").toLowerCase())) {
    throw badRequest("wrong parameter action in request");
  }
  const chat = writableChat(call);
  note(call, { chat_id: chat.shape.id, message_id: 0 });
  return true;
}

function readLocation(args: Arguments): Location {
  const latitude = args.decimal("latitude");
  const longitude = args.decimal("longitude");
  if (latitude === undefined) throw badRequest("latitude is empty");
  if (longitude === undefined) throw badRequest("longitude is empty");
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) throw badRequest("wrong location specified");
  return { latitude, longitude };
}

function readOptions(args: Arguments): string[] {
  const options = (args.list("options", "poll options") ?? []).map((option) =>
    isRecord(option) ? String(option["text"] ?? "") : String(option),
  );
  if (options.length === 0) throw badRequest("poll must have at least 1 option");
  if (options.length > 12) throw badRequest("poll can't have more than 12 options");
  if (options.some((option) => option.trim() === "")) throw badRequest("poll options must be non-empty");
  if (options.some((option) => option.length > 100))
    throw badRequest("poll options length must not exceed 100");
  return options;
}

function needText(args: Arguments, name: string, what: string): string {
  const text = args.text(name);
  if (text === "") throw badRequest(`${what} must be non-empty`);
  return text;
}
