import { signal } from "@preact/signals";
import { call, Refusal } from "../kit/api/client.ts";
import type { Operations } from "../kit/api/generated.ts";
import { onTicket, tellParent } from "../kit/embed.ts";
import type { Session } from "./model.ts";

/** Why the page cannot go on; `offline` may be tried again. */
export type Trouble = "used" | "over" | "offline";

export const trouble = signal<Trouble | null>(null);
export const session = signal<Session | null>(null);

/** A request of the session. Throws `Refusal` and `NoConnection`; a session that is over stops the page as well. */
export async function ask<Id extends keyof Operations>(
  id: Id,
  input: Operations[Id]["input"],
  abort?: AbortSignal,
): Promise<Operations[Id]["output"]> {
  const token = session.value?.token;
  try {
    return await call(id, input, { token, ...(abort === undefined ? {} : { signal: abort }) });
  } catch (error) {
    if (isSessionOver(error)) endSession(token);
    throw error;
  }
}

/** Exchanges the ticket of the page's address. Safe to call again after `offline`. */
export async function openSession(ticket: string): Promise<boolean> {
  trouble.value = null;
  try {
    session.value = await call("openChatSession", { body: { ticket } });
    return true;
  } catch (error) {
    trouble.value = error instanceof Refusal ? "used" : "offline";
    if (trouble.value === "used") tellParent("session.ended");
    return false;
  }
}

/** Takes a new ticket while the page is open; until one is good, the page stays as it was. */
async function renewSession(ticket: string): Promise<boolean> {
  try {
    session.value = await call("openChatSession", { body: { ticket } });
    trouble.value = null;
    return true;
  } catch {
    return false;
  }
}

export function isSessionOver(error: unknown): boolean {
  return error instanceof Refusal && error.code === "INVALID_APIKEY";
}

/**
 * The page stays as it is under a notice; the page around this one may send a new ticket. `token`: of the session that
 * was refused, which may have been renewed since.
 */
export function endSession(token: string | undefined): void {
  if (trouble.value === "over" || token !== session.value?.token) return;
  trouble.value = "over";
  tellParent("session.ended");
}

/** Goes on with each new ticket that the page around this one sends; `resume` follows. */
export function renewByParent(resume: () => void): () => void {
  const renewWith = (ticket: string) => (session.value === null ? openSession(ticket) : renewSession(ticket));
  return onTicket((ticket) => void renewWith(ticket).then((isOpen) => isOpen && resume()));
}
