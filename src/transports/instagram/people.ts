import type { Contact } from "../../core/transport/events.ts";
import { textIn } from "../kit/json.ts";
import { GraphRefusal } from "../meta/error.ts";
import { graphOf, type InstagramLink } from "./access.ts";
import { toTransportError } from "./errors.ts";
import { Recent } from "./recent.ts";

/** A person. Instagram identifies people by an id scoped to this account (IGSID), clients by the username. */
export interface Person {
  readonly igsid: string;
  /** The username, or the IGSID if the username is unknown. */
  readonly chatId: string;
  readonly contact: Contact;
}

interface Known {
  readonly username?: string;
  readonly name?: string;
  /** When the profile was fetched, in ms since 1970. */
  readonly at: number;
}

const FRESH_MS = 6 * 60 * 60 * 1000;
const PROFILE_LIMIT_MS = 5_000;
const FIELDS = "name,username,profile_pic";
const personKey = (igsid: string): string => `person:${igsid}`;
const nameKey = (chatId: string): string => `igsid:${chatId}`;
const commentKey = (igsid: string): string => `comment:${igsid}`;

type PeopleLink = Pick<
  InstagramLink,
  "channelId" | "state" | "credentials" | "settings" | "request" | "signal" | "log" | "emit"
>;

/** A person, with the updates to store around the events. */
export interface IdentifiedPerson extends Person {
  /** The chat's previous id, if the person was renamed or the username has become known. */
  readonly formerChatId?: string;
  /** Call before emitting: a client may reply as soon as it sees the chat. */
  prepare(): Promise<void>;
  /** Call once all events are stored, so that a rename is reported again if storing failed. */
  remember(): Promise<void>;
}

/**
 * Identifies a person from the username in a comment, the stored profile, or a profile request, which Instagram
 * answers only for people who have written. A failed request never loses a message: the chat id is then the stored
 * username or the IGSID.
 */
export async function identify(
  link: PeopleLink,
  igsid: string,
  givenUsername?: string,
): Promise<IdentifiedPerson> {
  const stored = await known(link, igsid);
  const isFresh = stored?.username !== undefined && Date.now() - stored.at < FRESH_MS;
  const isKnown = givenUsername !== undefined || isFresh;
  const asked = isKnown || isInVain(link, igsid) ? null : await ask(link, igsid);
  const username = (givenUsername ?? asked?.username ?? stored?.username)?.toLowerCase();
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
      if (stored?.username === chatId) return;
      await releaseName(link, chatId, igsid);
      await link.state.set(nameKey(chatId), igsid);
    },
    async remember() {
      if (JSON.stringify(next) !== JSON.stringify(stored))
        await link.state.set(personKey(igsid), JSON.stringify(next));
    },
  };
}

/**
 * Usernames get new owners. The chat of the former owner continues under their IGSID, until they act under the name
 * that they have now.
 */
async function releaseName(link: PeopleLink, username: string, newOwner: string): Promise<void> {
  const owner = await link.state.get(nameKey(username));
  if (owner === null || owner === newOwner) return;
  const person = await known(link, owner);
  if (person?.username !== username) return;
  await link.state.set(nameKey(owner), owner);
  await link.emit({ kind: "moved", chatType: "instagram", chatId: username, newChatId: owner });
  const { username: _, ...rest } = person;
  await link.state.set(personKey(owner), JSON.stringify(rest));
}

async function known({ state }: PeopleLink, igsid: string): Promise<Known | null> {
  const text = await state.get(personKey(igsid));
  // Only `meet` writes this key.
  return text === null ? null : (JSON.parse(text) as Known);
}

interface Profile {
  readonly username?: string;
  readonly name?: string;
  readonly avatar?: string;
}

/** People without a username, and channels that Instagram is rate limiting: a request would be in vain. */
const inVain = new Recent<true>();
const vainKey = ({ channelId }: PeopleLink, igsid: string): string => `${channelId}:${igsid}`;

function isInVain(link: PeopleLink, igsid: string): boolean {
  return [link.channelId, vainKey(link, igsid)].some((key) => inVain.get(key) === true);
}

async function ask(link: PeopleLink, igsid: string): Promise<Profile | null> {
  try {
    const signal = AbortSignal.any([link.signal, AbortSignal.timeout(PROFILE_LIMIT_MS)]);
    const path = encodeURIComponent(igsid);
    const answer = await graphOf(link).call("GET", path, { query: { fields: FIELDS }, signal });
    const [username, name, avatar] = ["username", "name", "profile_pic"].map((key) => textIn(answer, key));
    if (username === undefined) inVain.set(vainKey(link, igsid), true);
    return {
      ...(username !== undefined && { username }),
      ...(name !== undefined && { name }),
      ...(avatar !== undefined && { avatar }),
    };
  } catch (error) {
    inVain.set(isFlood(error) ? link.channelId : vainKey(link, igsid), true);
    link.log("info", "Instagram: the sender's profile could not be fetched", { detail: String(error) });
    return null;
  }
}

function isFlood(error: unknown): boolean {
  return error instanceof GraphRefusal && toTransportError(error).code === "TOO_MANY_EXT_REQS";
}

/** The IGSID of a chat. An id that is not a known username may be an IGSID. Null for an unknown username. */
export async function igsidOf(
  { state }: Pick<InstagramLink, "state">,
  chatId: string,
): Promise<string | null> {
  return (await state.get(nameKey(chatId.toLowerCase()))) ?? (/^\d{10,32}$/.test(chatId) ? chatId : null);
}

/** The person's newest comment, which can get a private reply. */
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
