import type { AvitoMessage } from "./update.ts";

type OwnMessageListener = (message: AvitoMessage) => void;

/**
 * The open sessions of this process, by channel id. A webhook may arrive at any node; if that node runs the session,
 * the session is notified at once.
 */
const sessions = new Map<string, OwnMessageListener>();

/** Calls `listener` for each of the account's own messages until the returned function is called. */
export function listenForOwn(channelId: string, listener: OwnMessageListener): () => void {
  sessions.set(channelId, listener);
  return () => {
    if (sessions.get(channelId) === listener) sessions.delete(channelId);
  };
}

export function notifySession(channelId: string, message: AvitoMessage): void {
  sessions.get(channelId)?.(message);
}
