import type { tl } from "@mtcute/core";
import { TransportError } from "../../../core/transport/errors.ts";
import type { CreatedGroup, NewGroup, PersonOutcome } from "../../../core/transport/groups.ts";
import { refusalIn } from "../errors.ts";
import { ask, askOnce, type Line } from "../line.ts";
import { type Asked, findPeople, isKnown, type Known, outcome, whyOf } from "./people.ts";
import { idOf, membersOf } from "./read.ts";
import { groupRefused } from "./refusals.ts";

/**
 * Creates a small group, which Telegram itself enlarges when needed. Telegram refuses the whole call because of a
 * deleted account, so it is repeated without those; a refused call had no effect.
 */
export async function createGroup(
  line: Line,
  { name, people }: NewGroup,
  signal: AbortSignal,
): Promise<CreatedGroup> {
  let asked = await findPeople(line, people, signal);
  try {
    return await create(line, { name, asked }, signal);
  } catch (error) {
    if (refusalIn(error)?.text !== "INPUT_USER_DEACTIVATED") throw error;
    asked = await withoutDeleted(line, asked, signal);
    return create(line, { name, asked }, signal);
  }
}

async function create(
  line: Line,
  { name, asked }: { readonly name: string; readonly asked: readonly Asked[] },
  signal: AbortSignal,
): Promise<CreatedGroup> {
  const others = asked.filter(isKnown).filter(({ id }) => id !== line.selfId);
  if (others.length === 0) throw groupRefused("nobody_added");
  const users = others.map(({ user }) => user);
  const request = { _: "messages.createChat", title: name, users } as const;
  const { updates, missingInvitees } = await askOnce(line, request, signal);
  const chat = "chats" in updates ? updates.chats.find((each) => each._ === "chat") : undefined;
  if (chat === undefined)
    throw new TransportError("UNKNOWN_ERROR", "Telegram returned no group", { retry: "unknown" });
  // Reported like a group that the owner created on a phone.
  line.client.handleClientUpdate(updates, false);
  const missing = new Map(missingInvitees.map((each) => [String(each.userId), each]));
  const added = others.filter(({ id }) => !missing.has(id));
  const members = await membersOf(line, [
    { id: line.selfId, role: "owner" },
    ...added.map(({ id }) => ({ id, role: "member" as const })),
  ]);
  return {
    group: { chatId: idOf({ chatId: chat.id }), name: chat.title, size: members.length, members },
    people: asked.map((each) => outcomeOf(line, each, missing)),
  };
}

function outcomeOf(
  { selfId }: Line,
  asked: Asked,
  missing: ReadonlyMap<string, tl.TypeMissingInvitee>,
): PersonOutcome {
  if (!isKnown(asked)) return outcome(asked, "unknown");
  if (asked.id === selfId) return outcome(asked, "already");
  const invitee = missing.get(asked.id);
  return invitee === undefined ? outcome(asked, "done") : outcome(asked, "invitation_needed", whyOf(invitee));
}

async function withoutDeleted(line: Line, asked: readonly Asked[], signal: AbortSignal): Promise<Asked[]> {
  const id = asked.filter(isKnown).map(({ user }) => user);
  const found = await ask(line, { _: "users.getUsers", id }, signal);
  const living = new Set(
    found.flatMap((user) => (user._ === "user" && !user.deleted ? String(user.id) : [])),
  );
  const isThere = (each: Known): boolean => living.has(each.id);
  return asked.map((each) => (isKnown(each) && !isThere(each) ? { person: each.person, id: each.id } : each));
}
