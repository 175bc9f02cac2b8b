import type { Phone, StoredConversation } from "./phone.ts";
import type { ActName, Conversation, PhoneFacts } from "./shape.ts";

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

/** The sources of files are internal to the sandbox. */
export function withoutSources({ messages, ...rest }: StoredConversation): Conversation {
  return {
    ...rest,
    messages: messages.map(({ files, ...message }) => ({
      ...message,
      files: files.map(({ mime, name, size }) => ({ mime, name, size })),
    })),
  };
}
