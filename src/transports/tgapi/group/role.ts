import type { tl } from "@mtcute/core";
import type { MembersEvent } from "../../../core/transport/events.ts";
import type { GroupRole, PersonOutcome, PersonResult } from "../../../core/transport/groups.ts";
import { wholeSecond } from "../inbound/group-notice.ts";
import { ask, askOnce, type Line } from "../line.ts";
import { personOf, type Known as Stored } from "../people/names.ts";
import { type Asked, forEachPerson, type Known, peerOfUser } from "./people.ts";
import { type InputGroup, readGroup, roleIn } from "./read.ts";

/** What administrators get by default in the apps: everything but the right to appoint others. */
const RIGHTS: tl.RawChatAdminRights = {
  _: "chatAdminRights",
  changeInfo: true,
  deleteMessages: true,
  banUsers: true,
  inviteUsers: true,
  pinMessages: true,
  manageCall: true,
  other: true,
};

interface RoleChange {
  readonly chatId: string;
  readonly asked: readonly Asked[];
  readonly change: "promote" | "demote";
  readonly signal: AbortSignal;
}

/** Telegram reports these changes to others only, so they are emitted here. */
export async function changeRole(
  line: Line,
  group: InputGroup,
  { chatId, asked, change, signal }: RoleChange,
): Promise<readonly PersonOutcome[]> {
  const roles = group.kind === "chat" ? await rolesIn(line, chatId, signal) : undefined;
  const outcomes = await forEachPerson(asked, async (known): Promise<PersonResult> => {
    const role =
      group.kind === "channel"
        ? await roleOf(line, group.channel, { known, signal })
        : (roles?.get(known.id) ?? null);
    const settled = resultWithout(role, change);
    if (settled !== null) return settled;
    await setRole(line, group, { known, change, signal });
    return "done";
  });
  await report(line, chatId, { outcomes, change });
  return outcomes;
}

/** The result if nothing has to be done; null otherwise. */
function resultWithout(role: GroupRole | null, change: "promote" | "demote"): PersonResult | null {
  if (role === null) return "not_a_member";
  if (role === "owner") return change === "promote" ? "already" : "protected";
  return (role === "admin") === (change === "promote") ? "already" : null;
}

async function rolesIn(line: Line, chatId: string, signal: AbortSignal): Promise<Map<string, GroupRole>> {
  const { members } = await readGroup(line, chatId, signal);
  return new Map(members.map(({ id, role }) => [id, role]));
}

async function roleOf(
  line: Line,
  channel: tl.RawInputChannel,
  { known, signal }: { readonly known: Known; readonly signal: AbortSignal },
): Promise<GroupRole | null> {
  const participant = peerOfUser(known.user);
  const found = await ask(line, { _: "channels.getParticipant", channel, participant }, signal);
  return roleIn(found.participant);
}

async function setRole(
  line: Line,
  group: InputGroup,
  { known, change, signal }: Pick<RoleChange, "change" | "signal"> & { readonly known: Known },
): Promise<void> {
  const isAdmin = change === "promote";
  if (group.kind === "chat") {
    const { chatId } = group;
    await askOnce(line, { _: "messages.editChatAdmin", chatId, userId: known.user, isAdmin }, signal);
    return;
  }
  const { channel } = group;
  const adminRights: tl.RawChatAdminRights = isAdmin ? RIGHTS : { _: "chatAdminRights" };
  const request = { _: "channels.editAdmin", channel, userId: known.user, adminRights, rank: "" } as const;
  line.client.handleClientUpdate(await askOnce(line, request, signal), false);
}

async function report(
  line: Line,
  chatId: string,
  {
    outcomes,
    change,
  }: { readonly outcomes: readonly PersonOutcome[]; readonly change: "promote" | "demote" },
): Promise<void> {
  const ids = outcomes.flatMap(({ result, id }) => (result === "done" && id !== undefined ? [id] : []));
  if (ids.length === 0) return;
  const known: Stored = await storedOf(line, [chatId, line.selfId, ...ids]);
  const done = change === "promote" ? "promoted" : "demoted";
  const now = new Date();
  const at = wholeSecond(now);
  const event: MembersEvent = {
    kind: "members",
    ref: { chatType: "telegroup", chatId, externalId: `${done}:${ids.join(",")}:${now.getTime()}` },
    at,
    by: personOf(line.selfId, known),
    title: known.get(chatId)?.title ?? "",
    members: ids.map((id) => ({ change: done, person: personOf(id, known) })),
  };
  await line.link.emit(event);
}

async function storedOf(line: Line, ids: readonly string[]): Promise<Stored> {
  const entries: [string, NonNullable<Awaited<ReturnType<Line["book"]["who"]>>>][] = [];
  for (const id of ids) {
    const who = await line.book.who(id);
    if (who !== undefined) entries.push([id, who]);
  }
  return new Map(entries);
}
