import type { Phone, StoredConversation } from "./phone.ts";
import type { ActName, Conversation, Newest, PhoneFacts } from "./shape.ts";

const ACTS: readonly ActName[] = [
  "send",
  "edit",
  "delete",
  "react",
  "press",
  "read",
  "typing",
  "call",
  "start",
  "block",
  "unblock",
];

/** The description of a phone for the page. */
export function factsOf(name: string, phone: Phone): PhoneFacts {
  const { title, colour, personal, kinds, reactions, quotes, linking } = phone;
  return {
    name,
    title,
    colour,
    personal,
    kinds,
    reactions,
    quotes,
    acts: ACTS.filter((act) => phone.acts[act] !== undefined),
    link: [
      ...(linking === undefined ? [] : (["scan"] as const)),
      ...(linking?.code === undefined ? [] : (["code"] as const)),
      ...(linking?.password === undefined ? [] : (["password"] as const)),
    ],
    groups: phone.addGroup !== undefined,
  };
}

/** As the page gets it: the sources of files are internal to the sandbox. `isTaken`: see `Phone.taken`. */
export function shownConversation(
  { messages, ...rest }: StoredConversation,
  isTaken: (message: string) => boolean = () => false,
): Conversation {
  return {
    ...rest,
    received: receivedOf(messages),
    messages: messages.map(({ files, ...message }) => ({
      ...message,
      state: message.state === "sent" && isTaken(message.id) ? "delivered" : message.state,
      files: files.map(({ mime, name, size }) => ({ mime, name, size })),
    })),
  };
}

/** What a list shows of a conversation. */
export function newestOf({ messages }: StoredConversation): Newest {
  const last = messages.at(-1);
  if (last === undefined) return { message: null, received: 0 };
  const { mine, at, look, text, deleted } = last;
  const message = { mine, at, look, text: text.slice(0, LONGEST_LINE), deleted };
  return { message, received: receivedOf(messages) };
}

const LONGEST_LINE = 200;

function receivedOf(messages: StoredConversation["messages"]): number {
  return messages.filter(({ mine, look }) => !mine && look !== "system").length;
}
