import type { tl } from "@mtcute/core";
import { TransportError } from "../../../core/transport/errors.ts";
import type { GroupPersonName, PersonOutcome, PersonResult } from "../../../core/transport/groups.ts";
import { refusalIn } from "../errors.ts";
import type { Line } from "../line.ts";
import { findTarget } from "../people/recipients.ts";
import { dataOf, isGeneral, personalResult } from "./refusals.ts";

/** A person of a request; without `user`, Telegram has no such person. */
export interface Asked {
  readonly person: GroupPersonName;
  readonly id?: string;
  readonly user?: tl.TypeInputUser;
}
/** A person whom Telegram knows. */
export type Known = Required<Asked>;

/** Finds people one after the other, because Telegram limits lookups. Throws what the library throws. */
export async function findPeople(
  line: Line,
  people: readonly GroupPersonName[],
  signal: AbortSignal,
): Promise<Asked[]> {
  const found: Asked[] = [];
  for (const person of people) found.push(await findPerson(line, person, signal));
  return found;
}

async function findPerson(line: Line, person: GroupPersonName, signal: AbortSignal): Promise<Asked> {
  const { id, ...name } = { id: undefined, ...person };
  try {
    const to = { chatType: "telegram" as const, ...(id === undefined ? name : { chatId: id }) };
    const { chatId, peer } = await findTarget(line, to, signal);
    const user = userOf(peer);
    return user === undefined ? { person } : { person, id: chatId, user };
  } catch (error) {
    if (error instanceof TransportError && error.code === "BAD_CONTACT") return { person };
    throw error;
  }
}

/** A username may be that of a group, which is no person. */
function userOf(peer: tl.TypeInputPeer): tl.TypeInputUser | undefined {
  if (peer._ === "inputPeerUser") return { ...peer, _: "inputUser" };
  if (peer._ === "inputPeerUserFromMessage") return { ...peer, _: "inputUserFromMessage" };
  return peer._ === "inputPeerSelf" ? { _: "inputUserSelf" } : undefined;
}

export function peerOfUser(user: tl.TypeInputUser): tl.TypeInputPeer {
  if (user._ === "inputUser") return { ...user, _: "inputPeerUser" };
  if (user._ === "inputUserFromMessage") return { ...user, _: "inputPeerUserFromMessage" };
  return user._ === "inputUserSelf" ? { _: "inputPeerSelf" } : { _: "inputPeerEmpty" };
}

/** Some people may be added only by those who pay for Telegram. */
export function whyOf(invitee: tl.TypeMissingInvitee): string {
  return invitee.premiumWouldAllowInvite === true ? "PREMIUM_WOULD_ALLOW_INVITE" : "USER_PRIVACY_RESTRICTED";
}

export function isKnown(asked: Asked): asked is Known {
  return asked.user !== undefined;
}

export function outcome({ person, id }: Asked, result: PersonResult, data?: string): PersonOutcome {
  return { person, ...(id !== undefined && { id }), result, ...(data !== undefined && { data }) };
}

/**
 * Makes a call for each person. A refusal that concerns the person is that person's outcome. Any other ends the change: it
 * is thrown if nothing was changed before it, otherwise it is the outcome of everyone who is left. A call without a
 * response is always thrown, because it may have had an effect.
 */
export async function forEachPerson(
  asked: readonly Asked[],
  call: (known: Known) => Promise<PersonResult>,
): Promise<PersonOutcome[]> {
  const outcomes: PersonOutcome[] = [];
  let ended: string | undefined;
  for (const each of asked) {
    if (!isKnown(each)) outcomes.push(outcome(each, "unknown"));
    else if (ended !== undefined) outcomes.push(outcome(each, "refused", ended));
    else {
      try {
        outcomes.push(outcome(each, await call(each)));
      } catch (error) {
        const refusal = refusalIn(error);
        if (refusal === null) throw error;
        const result = isGeneral(refusal) ? undefined : personalResult(refusal);
        if (result === undefined && !outcomes.some(({ result: before }) => before === "done")) throw error;
        if (result === undefined) ended = dataOf(refusal);
        outcomes.push(outcome(each, result ?? "refused", dataOf(refusal)));
      }
    }
  }
  return outcomes;
}
