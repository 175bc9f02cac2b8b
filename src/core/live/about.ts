/** Kind of the log's events that pages follow. Their body is what they are about, and nothing else. */
export const LIVE = "live";

/**
 * What of the account changed: of messages, chats and channels the subject is their id; of a client, which is what the CRM
 * knows of a chat's person, it is the chat's.
 */
export type About = "message" | "chat" | "client" | "channel" | "reload";

const ABOUT: Readonly<Record<string, About>> = {
  messages: "message",
  statuses: "message",
  "message.add": "message",
  "message.status_update": "message",
  "message.edit": "message",
  "message.delete": "message",
  "group_chat.update": "chat",
  channelsUpdates: "channel",
  "channel.create": "channel",
  "channel.delete": "channel",
  "channel.status_update": "channel",
};

/** What an event for receivers means to an open page; null: nothing. Pure. */
export function aboutOf({ kind, body }: { readonly kind: string; readonly body: object }): string | null {
  if (kind === LIVE) return "about" in body ? String(body.about) : null;
  return ABOUT[kind] ?? null;
}
