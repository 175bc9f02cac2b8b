import type { Base } from "../base.ts";
import type { ChatIdentity } from "../chat/by-name.ts";
import { authorNameOf } from "./author.ts";
import { reachChat } from "./chat-list.ts";
import type { Colleague } from "./chat-view.ts";
import type { InboxSession } from "./reach.ts";

export const PRESENCES = ["viewing", "typing", "left"] as const;

/** What an employee does in a chat, for `seconds`; the page repeats it meanwhile. It is nowhere stored. */
export interface Presence {
  readonly accountId: number;
  readonly chat: string;
  readonly user: Colleague;
  readonly state: (typeof PRESENCES)[number];
  /** The employee has just opened the chat: the others repeat what they do. */
  readonly asks: boolean;
  readonly seconds: number;
  /** By what pages are tested that may see the chat. */
  readonly identity: ChatIdentity;
}

/** A page that is closed without notice is gone after this long. Pages repeat their presence three times meanwhile. */
const LEASE_SECONDS = 25;
const TYPING_SECONDS = 8;

/** Tells the open pages of colleagues, on all nodes. Throws CHAT_NOT_FOUND. */
export async function tellPresence(
  core: Base,
  session: InboxSession,
  chat: string,
  { state, asks }: Pick<Presence, "state" | "asks">,
): Promise<void> {
  const { scope, opening } = session;
  const { chat_type, chat_id, username, phone } = await reachChat(core, session, chat);
  const presence: Presence = {
    accountId: scope.accountId,
    chat,
    user: { id: opening.userId, name: await authorNameOf(core, session) },
    state,
    asks,
    seconds: state === "left" ? 0 : state === "typing" ? TYPING_SECONDS : LEASE_SECONDS,
    identity: { chat_type, chat_id, username, phone },
  };
  core.signals.notify("presence", JSON.stringify(presence));
}

/** The detail of a `presence` notification; null if notifications may have been lost. Pure. */
export function presenceOf(detail: string): Presence | null {
  return detail === "" ? null : (JSON.parse(detail) as Presence);
}
