import type { PhoneNumber } from "../account/phone-number.ts";
import { announce, metadataOf } from "../update/announce.ts";
import type { World } from "../world.ts";
import type { Conversation } from "./conversation.ts";
import type { StoredMessage } from "./stored-message.ts";

/** Messages in one chunk. */
const chunkSize = 50;
/** Content of which the history has only a placeholder; its file follows in a change of its own. */
const mediaTypes: ReadonlySet<string> = new Set(["image", "video", "audio", "document", "sticker"]);

/**
 * Reports the conversations of the phone's own app in chunks, the newest messages first, as the platform does once after
 * the onboarding of a number with that app. Files follow with their ids.
 */
export function shareHistory(world: World, number: PhoneNumber): void {
  const told = [...number.conversations.values()].flatMap((conversation) =>
    conversation.messages.newest().map((message) => ({ conversation, message })),
  );
  const chunks = Math.max(1, Math.ceil(told.length / chunkSize));
  for (let n = 0; n < chunks; n++) {
    const some = told.slice(n * chunkSize, (n + 1) * chunkSize);
    const threads = [...Map.groupBy(some, ({ conversation }) => conversation)].map(
      ([conversation, items]) => ({
        id: conversation.person.phone,
        messages: items.map(({ message }) => entryOf(number, conversation, message, true)),
      }),
    );
    const metadata = { phase: 0, chunk_order: n + 1, progress: Math.round(((n + 1) * 100) / chunks) };
    report(world, number, { history: [{ metadata, threads }] });
  }
  const files = told.filter(({ message }) => mediaTypes.has(message.type));
  if (files.length > 0)
    report(world, number, {
      messages: files.map(({ conversation, message }) => entryOf(number, conversation, message, false)),
    });
}

/** The owner has declined to share the history. */
export function declineHistory(world: World, number: PhoneNumber): void {
  const error = {
    code: 2593109,
    title: "History sync is turned off by the business from the WhatsApp Business App",
  };
  report(world, number, { history: [{ errors: [error] }] });
}

function report(world: World, number: PhoneNumber, content: object): void {
  const value = { messaging_product: "whatsapp", metadata: metadataOf(number), ...content };
  announce(
    world,
    { waba: number.waba, number, orderingKey: `${number.id} history` },
    { field: "history", value },
  );
}

function entryOf(
  number: PhoneNumber,
  { person }: Conversation,
  message: StoredMessage,
  hidesFile: boolean,
): object {
  const { id, direction, timestamp, content, statuses } = message;
  const type = hidesFile && mediaTypes.has(message.type) ? "media_placeholder" : message.type;
  const status = direction === "in" ? "DELIVERED" : (statuses.at(-1) ?? "sent").toUpperCase();
  return {
    from: direction === "in" ? person.phone : number.phone,
    ...(direction === "in" ? {} : { to: person.phone }),
    id,
    timestamp: String(timestamp),
    type,
    ...(type === message.type && content !== undefined && { [type]: content }),
    history_context: { status },
  };
}
