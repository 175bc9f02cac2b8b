import type { Contact } from "../../core/transport/events.ts";
import { textIn } from "../kit/json.ts";
import { graphOf, type InstagramLink } from "./access.ts";

/** A person: Instagram names them by an id of this account (IGSID), clients by the username. */
export interface Person {
  readonly igsid: string;
  /** The username, or the IGSID where Instagram does not tell the username. */
  readonly chatId: string;
  readonly contact: Contact;
}

interface Known {
  readonly username?: string;
  readonly name?: string;
  /** When Instagram was asked. */
  readonly at: number;
}

const FRESH_MS = 6 * 60 * 60 * 1000;
const PROFILE_LIMIT_MS = 5_000;
const FIELDS = "name,username,profile_pic";
const personKey = (igsid: string): string => `person:${igsid}`;
const nameKey = (chatId: string): string => `igsid:${chatId}`;
const commentKey = (igsid: string): string => `comment:${igsid}`;

type PeopleLink = Pick<InstagramLink, "state" | "credentials" | "settings" | "request" | "signal" | "log">;

/** What is stored of a person as it becomes once the events are stored. */
export interface Met extends Person {
  /** The chat's former id, where the person was renamed, or the username came out. */
  readonly formerChatId?: string;
  /** Before anything is told: whoever hears of the chat may answer at once. */
  prepare(): Promise<void>;
  /** Once everything is stored, so that a rename is told again where it was not. */
  remember(): Promise<void>;
}

/**
 * Who it is: by what was told (`username` of a comment), what is stored, or by asking Instagram, which answers for people
 * who have written. A failure to ask never loses a message: the chat then has what was known, or the IGSID, for its id.
 */
export async function meet(link: PeopleLink, igsid: string, told?: string): Promise<Met> {
  const stored = await known(link, igsid);
  const isFresh = stored?.username !== undefined && Date.now() - stored.at < FRESH_MS;
  const asked = told !== undefined || isFresh ? null : await ask(link, igsid);
  const username = (told ?? asked?.username ?? stored?.username)?.toLowerCase();
  const name = asked?.name ?? stored?.name;
  const chatId = username ?? igsid;
  const former = stored === null ? igsid : (stored.username ?? igsid);
  const next: Known = {
    ...(username !== undefined && { username }),
    ...(name !== undefined && { name }),
    at: asked === null ? (stored?.at ?? 0) : Date.now(),
  };
  return {
    igsid,
    chatId,
    contact: {
      name: name ?? username ?? igsid,
      ...(username !== undefined && { username }),
      ...(asked?.avatar !== undefined && { avatar: { token: asked.avatar } }),
    },
    ...(stored !== null && former !== chatId && { formerChatId: former }),
    async prepare() {
      if (stored?.username !== chatId) await link.state.set(nameKey(chatId), igsid);
    },
    async remember() {
      if (JSON.stringify(next) !== JSON.stringify(stored))
        await link.state.set(personKey(igsid), JSON.stringify(next));
    },
  };
}

async function known({ state }: PeopleLink, igsid: string): Promise<Known | null> {
  const text = await state.get(personKey(igsid));
  // Written by `meet` alone.
  return text === null ? null : (JSON.parse(text) as Known);
}

interface Profile {
  readonly username?: string;
  readonly name?: string;
  readonly avatar?: string;
}

async function ask(link: PeopleLink, igsid: string): Promise<Profile | null> {
  try {
    const signal = AbortSignal.any([link.signal, AbortSignal.timeout(PROFILE_LIMIT_MS)]);
    const path = encodeURIComponent(igsid);
    const answer = await graphOf(link).call("GET", path, { query: { fields: FIELDS }, signal });
    const [username, name, avatar] = ["username", "name", "profile_pic"].map((key) => textIn(answer, key));
    return {
      ...(username !== undefined && { username }),
      ...(name !== undefined && { name }),
      ...(avatar !== undefined && { avatar }),
    };
  } catch (error) {
    link.log("info", "Instagram did not say who wrote", { detail: String(error) });
    return null;
  }
}

/** The IGSID of a chat; an id that is no known username may be an IGSID itself. Null for an unknown username. */
export async function igsidOf(
  { state }: Pick<InstagramLink, "state">,
  chatId: string,
): Promise<string | null> {
  return (await state.get(nameKey(chatId.toLowerCase()))) ?? (/^\d{10,32}$/.test(chatId) ? chatId : null);
}

/** The newest comment of a person, which may be answered in private. */
export function commentOf({ state }: Pick<InstagramLink, "state">, igsid: string): Promise<string | null> {
  return state.get(commentKey(igsid));
}

export function rememberComment(
  { state }: Pick<InstagramLink, "state">,
  igsid: string,
  commentId: string,
): Promise<void> {
  return state.set(commentKey(igsid), commentId);
}
