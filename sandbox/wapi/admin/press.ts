import { AdminError, type Fields, isRecord, missing } from "../../http/fields.ts";
import type { StoredMessage } from "../chat/stored-message.ts";
import { type Words, type Written, writeToNumber } from "../inbound.ts";
import { templateButtons } from "../message/send.ts";
import type { World } from "../world.ts";
import { checkUnblocked, type Seat } from "./seat.ts";

/** The result of pressing a button. */
interface Choice {
  readonly id: string;
  readonly title: string;
  /** The business's answer; undefined for a button that only opens an address. */
  readonly words: Omit<Words, "context"> | undefined;
  readonly url?: string | undefined;
}

/** Presses the newest button that matches `title` or `id`, of the message `message_id` if given. */
export function press(world: World, seat: Seat, body: Fields): Written | { url: string } {
  checkUnblocked(seat);
  const { conversation, number, person } = seat;
  const messageId = body.text("message_id");
  const messages =
    messageId === undefined ? conversation.messages.newest() : [conversation.messages.get(messageId)];
  for (const message of messages) {
    const choice = message && choicesOf(message).find((candidate) => fits(candidate, body));
    if (!choice) continue;
    if (!choice.words) return { url: choice.url ?? "" };
    const context = { from: number.phone, id: message.id };
    return writeToNumber(world, number, person, { ...choice.words, context });
  }
  throw missing("button", body.text("title") ?? body.text("id") ?? "");
}

function fits({ id, title }: Choice, body: Fields): boolean {
  const wantedId = body.text("id");
  const wantedTitle = body.text("title");
  if (wantedId === undefined && wantedTitle === undefined) {
    throw new AdminError(400, "invalid_field", "id or title is needed");
  }
  return (wantedId ?? id) === id && (wantedTitle ?? title) === title;
}

/** All buttons of a message. */
export function choicesOf(message: StoredMessage): readonly Choice[] {
  if (message.direction !== "out") return [];
  if (message.type === "template") return templateChoices(message);
  if (message.type !== "interactive" || !isRecord(message.content)) return [];
  const { type, action } = message.content;
  if (!isRecord(action)) return [];
  if (type === "button") return listOf(action["buttons"]).map(replyChoice);
  if (type === "list") {
    return listOf(action["sections"])
      .flatMap((section) => listOf(section["rows"]))
      .map(rowChoice);
  }
  const parameters = isRecord(action["parameters"]) ? action["parameters"] : {};
  const title = String(parameters["display_text"] ?? "");
  return [{ id: title, title, words: undefined, url: String(parameters["url"] ?? "") }];
}

/** Quick replies of a template are reported as `button`, with their payload. */
function templateChoices(message: StoredMessage): readonly Choice[] {
  return templateButtons(message).map(({ text, payload, url }) => {
    const words = payload === undefined ? undefined : { type: "button", value: { payload, text } };
    return { id: payload ?? text, title: text, words, url };
  });
}

function replyChoice(button: Readonly<Record<string, unknown>>): Choice {
  const reply = isRecord(button["reply"]) ? button["reply"] : {};
  const id = String(reply["id"]);
  const title = String(reply["title"]);
  const value = { type: "button_reply", button_reply: { id, title } };
  return { id, title, words: { type: "interactive", value } };
}

function rowChoice(row: Readonly<Record<string, unknown>>): Choice {
  const id = String(row["id"]);
  const title = String(row["title"]);
  const description = row["description"];
  const reply = { id, title, ...(description !== undefined && { description }) };
  return { id, title, words: { type: "interactive", value: { type: "list_reply", list_reply: reply } } };
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
