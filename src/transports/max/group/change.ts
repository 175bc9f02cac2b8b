import type { OutboundFile } from "../../../core/transport/connector.ts";
import type {
  GroupChange,
  GroupPeopleChange,
  PersonOutcome,
  PersonResult,
} from "../../../core/transport/groups.ts";
import { fileToken } from "../inbound/file-token.ts";
import { type Line, uploadParts } from "../outbound/sender.ts";
import { photoTokenOf } from "../outbound/uploads.ts";
import { OP } from "../wire/opcodes.ts";
import { resultOf } from "./create.ts";
import { type Asked, existingOf, findPeople, outcome, toNumbers } from "./people.ts";
import { changedGroup, findGroup, type MaxGroup, roleIn } from "./read.ts";
import { groupRefused } from "./refusals.ts";
import { reportMembers, reportProfile } from "./report.ts";

/**
 * What the account's administrators may do, in the bits of vkmax and Komet: everything but the right to appoint
 * others.
 */
const PERMISSIONS = 251;

export async function changeGroup(
  line: Line,
  chatId: string,
  { change, signal }: { readonly change: GroupChange; readonly signal: AbortSignal },
): Promise<readonly PersonOutcome[]> {
  const group = await findGroup(line, chatId);
  if (change.kind === "rename") return rename(line, group, change.name);
  if (change.kind === "picture") return setPicture(line, group, { picture: change.picture, signal });
  const asked = await findPeople(line, change.people);
  return changePeople(line, group, { asked, kind: change.kind });
}

/** MAX names the title `theme` in this request (PyMax, vkmax, Komet). */
async function rename(line: Line, { chatId }: MaxGroup, name: string): Promise<[]> {
  await line.ask(OP.chatUpdate, { chatId, theme: name });
  line.people.learnTitle(String(chatId), name);
  await reportProfile(line, chatId, { title: name });
  return [];
}

/** How a picture is removed is not known. */
async function setPicture(
  line: Line,
  { chatId }: MaxGroup,
  { picture, signal }: { readonly picture: OutboundFile | null; readonly signal: AbortSignal },
): Promise<[]> {
  if (picture === null) throw groupRefused("refused", "MAX has no known way to remove a picture");
  const photoToken = await photoTokenOf(uploadParts(line, signal), picture);
  const answer = await line.ask(OP.chatUpdate, { chatId, photoToken });
  const url = changedGroup(answer, chatId)?.chat.baseIconUrl;
  if (url !== undefined)
    await reportProfile(line, chatId, { picture: { token: fileToken({ kind: "picture", url }) } });
  return [];
}

interface PeopleChange {
  readonly asked: readonly Asked[];
  readonly kind: GroupPeopleChange;
}

const REPORTED = { add: "added", remove: "removed", promote: "promoted", demote: "demoted" } as const;

/** One request for everyone: MAX leaves out whom it does not add. */
async function changePeople(
  line: Line,
  group: MaxGroup,
  { asked, kind }: PeopleChange,
): Promise<readonly PersonOutcome[]> {
  const settled = new Map(asked.map((each) => [each, resultWithout(line, group, { each, kind })]));
  const due = asked.filter((each) => settled.get(each) === null);
  const userIds = due.flatMap(({ userId }) => userId ?? []);
  const left = userIds.length === 0 ? [] : await request(line, group, { userIds, kind });
  const existing = kind === "add" ? await existingOf(line, left) : new Set<string>();
  const done = userIds.filter((userId) => !left.includes(userId));
  await reportMembers(line, group, { userIds: done, change: REPORTED[kind] });
  const late = (each: Asked): PersonResult => {
    const isLeft = left.includes(each.userId ?? "");
    if (kind !== "add") return isLeft ? "refused" : "done";
    return resultOf(each, { self: line.people.self, left, existing });
  };
  return asked.map((each) => outcome(line, each, settled.get(each) ?? late(each)));
}

/** The result if nothing has to be asked of MAX; null otherwise. */
function resultWithout(
  { people: { self } }: Line,
  { chat, userIds, isComplete }: MaxGroup,
  { each: { userId }, kind }: { readonly each: Asked; readonly kind: GroupPeopleChange },
): PersonResult | null {
  if (userId === undefined) return "unknown";
  const isMember = userIds.includes(userId);
  if (kind === "add") return isMember ? "already" : null;
  if (!isMember && isComplete) return "not_a_member";
  const role = roleIn(chat, userId);
  if (kind === "promote") return role === "member" ? null : "already";
  if (role === "owner" || userId === self) return "protected";
  return kind === "demote" && role === "member" ? "already" : null;
}

/** Returns the people for whom nothing has changed. */
async function request(
  line: Line,
  { chatId }: MaxGroup,
  { userIds, kind }: { readonly userIds: readonly string[]; readonly kind: GroupPeopleChange },
): Promise<readonly string[]> {
  const answer = await line.ask(OP.membersUpdate, {
    chatId,
    userIds: toNumbers(userIds),
    ...OPERATIONS[kind],
  });
  const after = changedGroup(answer, chatId);
  if (after === null) return [];
  if (kind === "promote" || kind === "demote") {
    if (after.chat.admins === undefined) return [];
    return userIds.filter((userId) => (roleIn(after.chat, userId) === "member") === (kind === "promote"));
  }
  const isThere = (userId: string): boolean => after.userIds.includes(userId);
  if (kind === "remove") return userIds.filter(isThere);
  return after.isComplete ? userIds.filter((userId) => !isThere(userId)) : [];
}

/** Earlier messages are not shown to people who are added, and not deleted of those who are removed. */
const OPERATIONS: Readonly<Record<GroupPeopleChange, object>> = {
  add: { operation: "add", showHistory: false },
  remove: { operation: "remove", cleanMsgPeriod: 0 },
  promote: { operation: "add", type: "ADMIN", permissions: PERMISSIONS },
  demote: { operation: "remove", type: "ADMIN" },
};
