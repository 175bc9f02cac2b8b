import type { LiveChange } from "../payload/facts.ts";

/** The event kind that open pages follow. Its stored body is the word for what the event is about, not JSON. */
export const LIVE = "live";

/**
 * What changed. The subject is the id of the message, chat or channel; for `client`, the CRM's data about the person
 * of a chat, it is the id of the chat.
 */
export type About = "message" | "chat" | "client" | "channel" | "reload";

const ABOUT: Readonly<Record<string, About>> = {
  messages: "message",
  statuses: "message",
  reactions: "message",
  "message.add": "message",
  "message.status_update": "message",
  "message.edit": "message",
  "message.delete": "message",
  "message.reaction": "message",
  "group_chat.update": "chat",
  channelsUpdates: "channel",
  "channel.create": "channel",
  "channel.delete": "channel",
  "channel.status_update": "channel",
};

/** What an event for receivers means to open pages; null: nothing. Pure. */
export function aboutOf({ kind, body }: { readonly kind: string; readonly body: object }): string | null {
  if (kind === LIVE) return "about" in body ? String(body.about) : null;
  return ABOUT[kind] ?? null;
}

/** The event of a change that only open pages are notified of. Pure. */
export function liveEvent({ accountId, about, chat, subject }: LiveChange) {
  return { accountId, kind: LIVE, channelId: null, chat, subject, body: { about } };
}
