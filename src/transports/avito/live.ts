import type { AvitoMessage } from "./update.ts";

type Wake = (message: AvitoMessage) => void;

/** Sessions of this process. A webhook may come to any node; where it comes to the session's own, nothing has to wait. */
const sessions = new Map<string, Wake>();

/** Until the answer is called, `wake` hears of the account's own messages. */
export function listenForOwn(channelId: string, wake: Wake): () => void {
  sessions.set(channelId, wake);
  return () => {
    if (sessions.get(channelId) === wake) sessions.delete(channelId);
  };
}

export function wakeSession(channelId: string, message: AvitoMessage): void {
  sessions.get(channelId)?.(message);
}
