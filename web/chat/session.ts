import { signal } from "@preact/signals";
import { call, NoConnection, Refusal } from "../kit/api/client.ts";
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
  const options = { token: session.value?.token, ...(abort === undefined ? {} : { signal: abort }) };
  try {
    return await call(id, input, options);
  } catch (error) {
    if (error instanceof Refusal && error.code === "INVALID_APIKEY") endSession();
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
    trouble.value = error instanceof NoConnection || !(error instanceof Refusal) ? "offline" : "used";
    if (trouble.value === "used") tellParent("session.ended");
    return false;
  }
}

/** The page stays as it is under a notice; the page around this one may send a new ticket. */
export function endSession(): void {
  if (trouble.value === "over") return;
  trouble.value = "over";
  tellParent("session.ended");
}

/** Goes on with each new ticket that the page around this one sends; `resume` follows. */
export function renewByParent(resume: () => void): () => void {
  return onTicket((ticket) => void openSession(ticket).then((isOpen) => isOpen && resume()));
}
