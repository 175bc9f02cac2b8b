import { signal } from "@preact/signals";
import { Refusal } from "../kit/api/client.ts";
import type { Operations } from "../kit/api/generated.ts";
import { call, type PageOperation } from "../kit/api/page-client.ts";
import { onTicket, tellParent } from "../kit/embed.ts";
import type { Session } from "./model.ts";
import { loadLaterTexts } from "./texts/texts.ts";

/** Why the page cannot continue; after `offline` it may retry. */
export type Trouble = "used" | "over" | "offline";

export const trouble = signal<Trouble | null>(null);
export const session = signal<Session | null>(null);

/** A request of the session. Throws `Refusal` and `NoConnection`; if the session has ended, the page stops too. */
export async function ask<Id extends PageOperation>(
  id: Id,
  input: Operations[Id]["input"],
  abort?: AbortSignal,
): Promise<Operations[Id]["output"]> {
  const token = session.value?.token;
  try {
    return await call(id, input, { token, ...(abort === undefined ? {} : { signal: abort }) });
  } catch (error) {
    await noteFailure(error, token);
    throw error;
  }
}

/** Stops the page if the error of a request says that its session has ended, and loads the texts of refusals. */
export async function noteFailure(error: unknown, token: string | undefined): Promise<void> {
  if (isSessionOver(error)) endSession(token);
  if (error instanceof Refusal) await loadLaterTexts().catch(() => undefined);
}

/** Exchanges the ticket in the page's address. May be repeated after `offline`. */
export async function openSession(ticket: string): Promise<boolean> {
  trouble.value = null;
  try {
    session.value = await call("openChatSession", { body: { ticket } });
    return true;
  } catch (error) {
    trouble.value = error instanceof Refusal && !error.isTemporary ? "used" : "offline";
    if (trouble.value === "used") tellParent("session.ended");
    return false;
  }
}

/** Exchanges a new ticket while the page is open; the page stays unchanged until one is valid. */
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
 * The page stays visible under a notice; the embedding page may send a new ticket. `token`: of the refused session,
 * which may have been renewed since.
 */
export function endSession(token: string | undefined): void {
  if (trouble.value === "over" || token !== session.value?.token) return;
  trouble.value = "over";
  tellParent("session.ended");
}

/** What to do with a session that a new ticket has opened. */
export interface Renewal {
  /** The page had no session before, for example because its own ticket was used. */
  readonly begin: () => void;
  /** `opensChat`: the chat that the new link names is to be opened. */
  readonly resume: (opensChat: boolean) => void;
}

/** Renews the session with each new ticket of the embedding page. */
export function renewByParent({ begin, resume }: Renewal): () => void {
  const renewWith = async (ticket: string, opensChat: boolean): Promise<void> => {
    const isFirst = session.value === null;
    const isOpen = await (isFirst ? openSession(ticket) : renewSession(ticket));
    if (isOpen && isFirst) begin();
    else if (isOpen) resume(opensChat);
  };
  return onTicket((ticket, opensChat) => void renewWith(ticket, opensChat));
}
