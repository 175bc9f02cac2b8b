import { AdminError, type Fields, missing } from "../../http/fields.ts";
import { fileJson } from "../../http/file-json.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { PhoneNumber } from "../account/phone-number.ts";
import type { Conversation } from "../chat/conversation.ts";
import { tellStatus } from "../chat/status.ts";
import type { StoredMessage } from "../chat/stored-message.ts";
import {
  callNumber,
  changeNumber,
  changeUserId,
  type Words,
  type Written,
  writeToNumber,
} from "../inbound.ts";
import type { World } from "../world.ts";
import { readWords } from "./content.ts";
import { choicesOf, press } from "./press.ts";
import { checkUnblocked, type Seat } from "./seat.ts";

type SeatHandler = (seat: Seat, body: Fields) => unknown;

/** The actions of people, below `/numbers/{number_id}/users/{user_id}`. */
export function personRoutes(world: World): AdminRoute[] {
  const actions: Readonly<Record<string, SeatHandler>> = {
    messages: (seat, body) => write(world, seat, body),
    reactions: (seat, body) => react(world, seat, body),
    presses: (seat, body) => press(world, seat, body),
    calls: ({ number, person }) => callNumber(world, number, person),
    reads: (seat, body) => read(world, seat, body),
    edits: (seat, body) => edit(world, seat, body),
    deletions: (seat, body) => remove(world, seat, body),
    blocks: ({ conversation }) => setBlocked(world, conversation, true),
    unblocks: ({ conversation }) => setBlocked(world, conversation, false),
    number_changes: (seat, body) => moveNumber(world, seat, body),
    user_id_changes: ({ number, person }) => changeUserId(world, number, person),
  };
  return [
    ...Object.entries(actions).map(([name, handler]): AdminRoute => {
      const pattern = `/numbers/{number_id}/users/{user_id}/${name}`;
      return ["POST", pattern, (call) => handler(seatOf(world, call), call.body)];
    }),
    ["GET", "/media/{media_id}/file", (call) => readMedia(world, call)],
    ["GET", "/numbers/{number_id}/users/{user_id}/messages", (call) => listMessages(seatOf(world, call))],
  ];
}

/** A message of any kind. */
export async function write(world: World, seat: Seat, body: Fields): Promise<Written> {
  checkUnblocked(seat);
  const words = await readWords(world, seat, body);
  return writeToNumber(world, seat.number, seat.person, words);
}

/** Without `emoji`, the reaction is removed. */
function react(world: World, { number, person, conversation }: Seat, body: Fields): Written {
  const id = body.text("message_id") ?? newestOf(conversation, "out").id;
  if (!conversation.messages.get(id)) throw missing("message", id);
  const emoji = body.text("emoji");
  const value = { message_id: id, ...(emoji !== undefined && { emoji }) };
  return writeToNumber(world, number, person, { type: "reaction", value });
}

/** The person reads: one message, or all delivered ones. */
function read(world: World, { number, person, conversation }: Seat, body: Fields): unknown {
  const id = body.text("message_id");
  if (id !== undefined && !conversation.messages.get(id)) throw missing("message", id);
  const unread = conversation.messages
    .newest()
    .reverse()
    .filter(({ direction, statuses }) => direction === "out" && isUnread(statuses))
    .filter((message) => id === undefined || message.id === id);
  for (const message of unread) tellStatus(world, { number, person, phone: undefined, message }, "read");
  return { message_ids: unread.map((message) => message.id) };
}

function isUnread(statuses: readonly string[]): boolean {
  return statuses.includes("delivered") && !statuses.includes("read");
}

/** Edits are reported only to numbers that are also used in the phone's own app. */
function edit(world: World, { number, person, conversation }: Seat, body: Fields): Written {
  checkCoexistence(number);
  const original = ownMessage(conversation, body.needText("message_id"));
  const message = { type: "text", text: { body: body.needText("text") } };
  original.content = message.text;
  const words: Words = { type: "edit", value: { original_message_id: original.id, message } };
  return writeToNumber(world, number, person, words);
}

function remove(world: World, { number, person, conversation }: Seat, body: Fields): Written {
  checkCoexistence(number);
  const original = ownMessage(conversation, body.needText("message_id"));
  conversation.messages.delete(original.id);
  const words: Words = { type: "revoke", value: { original_message_id: original.id } };
  return writeToNumber(world, number, person, words);
}

function checkCoexistence(number: PhoneNumber): void {
  if (number.onBizApp) return;
  throw new AdminError(
    409,
    "not_on_biz_app",
    "the platform tells of edits and deletions only for numbers used in the phone's app too (on_biz_app)",
  );
}

function ownMessage(conversation: Conversation, id: string): StoredMessage {
  const message = conversation.messages.get(id);
  if (message?.direction === "in") return message;
  throw missing("message of the user", id);
}

/** The newest message of a side, or an error if there is none. */
function newestOf(conversation: Conversation, direction: StoredMessage["direction"]): StoredMessage {
  const message = conversation.messages.newest().find((candidate) => candidate.direction === direction);
  if (!message) throw new AdminError(409, "no_message", "there is no message of the business yet");
  return message;
}

/** Not reported to the business; its messages stay undelivered. */
function setBlocked(world: World, conversation: Conversation, blocked: boolean): unknown {
  conversation.blocked = blocked;
  world.changed();
  return { blocked };
}

function moveNumber(world: World, { number, person }: Seat, body: Fields): Written {
  const phone = body.needText("phone");
  if (!/^\d{7,15}$/.test(phone)) throw new AdminError(400, "invalid_field", "phone must be 7 to 15 digits");
  const holder = world.personByPhone(phone);
  if (holder) throw new AdminError(409, "exists", `user ${holder.id} already has the phone ${phone}`);
  const written = changeNumber(world, number, person, phone);
  world.putPerson({ ...person, phone });
  return written;
}

/** The conversation as both see it, with read marks. */
function listMessages({ conversation }: Seat): unknown {
  const { blocked, messages } = conversation;
  const items = messages.newest().reverse();
  return {
    blocked,
    items: items.map((message) => ({ ...message, buttons: choicesOf(message).map(buttonOf) })),
  };
}

function buttonOf({ id, title, url }: ReturnType<typeof choicesOf>[number]) {
  return { id, title, url: url ?? null };
}

/** The bytes of a sent file. */
async function readMedia(world: World, { params }: AdminCall): Promise<object> {
  const id = params.needText("media_id");
  const media = world.media.find(id);
  if (!media) throw missing("file", id);
  return fileJson(world.media.blobs, { key: media.blobKey, size: media.size, mime: media.mime });
}

function seatOf(world: World, { params }: AdminCall): Seat {
  const number = world.number(params.needText("number_id"));
  const person = world.person(params.needText("user_id"));
  return { number, person, conversation: number.conversationWith(person) };
}
