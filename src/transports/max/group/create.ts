import { TransportError } from "../../../core/transport/errors.ts";
import type { CreatedGroup, NewGroup } from "../../../core/transport/groups.ts";
import { toFailure } from "../errors.ts";
import type { Line } from "../outbound/sender.ts";
import { idIn } from "../people/ids.ts";
import { OP } from "../wire/opcodes.ts";
import { type Asked, existingOf, findPeople, idsOf, outcome, toNumbers } from "./people.ts";
import { changedGroup, type MaxGroup, toGroup } from "./read.ts";
import { reportMembers } from "./report.ts";

/**
 * A message without a chat, whose attachment is the control `new`, creates a group (PyMax, vkmax). Whether MAX recognises
 * a repeated `cid` here is not known.
 */
export async function createGroup(line: Line, { id, name, people }: NewGroup): Promise<CreatedGroup> {
  const asked = await findPeople(line, people);
  const { self } = line.people;
  const userIds = [...new Set(idsOf(asked).filter((userId) => userId !== self))];
  const cid = await line.sent.cidOf(id).catch((error: unknown) => {
    throw toFailure(error, { isHarmless: true });
  });
  const control = { _type: "CONTROL", event: "new", chatType: "CHAT", title: name };
  const attaches = [{ ...control, userIds: toNumbers(userIds) }];
  const answer = await line.ask(OP.send, { message: { cid, attaches }, notify: true });
  const group = createdGroup(answer);
  line.people.learnChat(group.chat);
  const left = group.isComplete ? userIds.filter((userId) => !group.userIds.includes(userId)) : [];
  const existing = await existingOf(line, left);
  const added = userIds.filter((userId) => !left.includes(userId));
  await reportMembers(line, group, { userIds: [self, ...added], change: "added" });
  return {
    group: toGroup(line, group, { userIds: [self, ...added], contacts: new Map() }),
    people: asked.map((each) => outcome(line, each, resultOf(each, { self, left, existing }))),
  };
}

function createdGroup(answer: unknown): MaxGroup {
  const chatId = idIn(changedGroup(answer, 0n)?.chat.id ?? "");
  const group = chatId === undefined ? null : changedGroup(answer, chatId);
  if (group === null)
    throw new TransportError("UNKNOWN_ERROR", "MAX returned no group", { retry: "unknown" });
  return group;
}

export interface LeftOut {
  readonly self: string;
  /** People whom MAX left out. */
  readonly left: readonly string[];
  /** Of these, those who exist. */
  readonly existing: ReadonlySet<string>;
}

/** People who exist and are left out do not let this account add them. */
export function resultOf({ userId }: Asked, { self, left, existing }: LeftOut) {
  if (userId === undefined) return "unknown";
  if (userId === self) return "already";
  if (!left.includes(userId)) return "done";
  return existing.has(userId) ? "invitation_needed" : "unknown";
}
