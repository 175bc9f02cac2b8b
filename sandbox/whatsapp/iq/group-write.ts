import { randomBytes } from "node:crypto";
import { changeGroup, type GroupChange } from "../chat/group-change.ts";
import { describeGroup } from "../chat/group-stanza.ts";
import type { Group } from "../group.ts";
import type { Person } from "../person/person.ts";
import { bytesOf, children, MalformedStanza, type Node, needBytes, node, seconds } from "../wire/node.ts";
import { type IqCall, IqError, needCompanion, notAdmin, notAllowed, notDone, notFound } from "./call.ts";

const maxSubject = 100;
const maxDescription = 2048;
const maxMembers = 1024;

type MemberAction = "add" | "remove" | "promote" | "demote";

/** `<create subject><participant/>…`: people who cannot be added are returned with an error. */
export function createGroup(call: IqCall, create: Node): Node {
  const { world } = call;
  const { person } = needCompanion(call);
  const named = children(create, "participant").map(({ attrs }) => attrs["jid"] ?? "");
  if (named.length === 0) throw new IqError(406, "not-acceptable");
  const members = named.flatMap((jid) => {
    const member = world.findByJid(jid);
    return member === undefined || !takesPart(member) ? [] : [member];
  });
  const group = world.addGroup({ subject: readSubject(create.attrs["subject"]), creator: person, members });
  call.afterwards(() => changeGroup(world, group, { by: person, action: "create" }));
  const described = describeGroup(world, group);
  const missing = named.flatMap((jid) => {
    const member = world.findByJid(jid);
    if (member === undefined) return [node("participant", { jid, error: "404" })];
    return takesPart(member) ? [] : [refusedPerson(call, jid, 403)];
  });
  return { ...described, content: [...children(described), ...missing] };
}

/** A change of a group by a linked device; returns what the client reads of it. */
export function writeGroup(call: IqCall, id: string): Node[] | undefined {
  const { first, world } = call;
  const { person } = needCompanion(call);
  const group = world.groups.get(id);
  if (!group) throw notFound();
  if (!group.members.has(person.phone)) throw notAllowed();
  switch (first?.tag) {
    case "add":
    case "remove":
    case "promote":
    case "demote":
      needAdmin(group, person);
      return [changeMembers(call, group, first.tag, first)];
    case "subject":
      return change(call, group, {
        action: "subject",
        value: readSubject(bytesOf(first)?.toString()),
      });
    case "description":
      return change(call, group, { action: "description", value: readDescription(first) });
    case "announcement":
    case "not_announcement":
    case "locked":
    case "unlocked":
      needAdmin(group, person);
      return change(call, group, { action: first.tag });
    case "invite":
      needAdmin(group, person);
      group.inviteCode = randomBytes(16).toString("base64url");
      world.changed();
      return [node("invite", { code: group.inviteCode })];
    default:
      throw notDone();
  }
}

/** `<invite/>`: the code of the group's link. */
export function readInvite(call: IqCall, group: Group): Node {
  needAdmin(group, needCompanion(call).person);
  return node("invite", { code: group.inviteCode });
}

/** `<invite/>` with a code: the group of a link, or, with `set`, joining it. */
export function useInvite(call: IqCall, code: string): Node {
  const { world, stanza } = call;
  const { person } = needCompanion(call);
  const group = [...world.groups.values()].find(({ inviteCode }) => inviteCode === code);
  if (!group) throw notAllowed();
  if (stanza.attrs["type"] === "get") return describeGroup(world, group);
  if (group.members.has(person.phone)) throw new IqError(409, "conflict");
  call.afterwards(() => changeGroup(world, group, { by: person, action: "add", people: [person] }));
  return node("group", { jid: group.id });
}

/** Everyone may change subject and description, unless the group is locked. */
function change(call: IqCall, group: Group, what: GroupChange): undefined {
  const { person } = needCompanion(call);
  if (group.locked) needAdmin(group, person);
  call.afterwards(() => changeGroup(call.world, group, { by: person, ...what }));
}

function changeMembers(call: IqCall, group: Group, action: MemberAction, request: Node): Node {
  const { world } = call;
  const { person } = needCompanion(call);
  const changed: Person[] = [];
  const answers = children(request, "participant").map(({ attrs }) => {
    const jid = attrs["jid"] ?? "";
    const member = world.findByJid(jid);
    const error = refusal(group, action, member);
    if (error === undefined && member) changed.push(member);
    return error === undefined ? node("participant", { jid }) : refusedPerson(call, jid, error);
  });
  if (answers.length === 0) throw new MalformedStanza("participant");
  if (changed.length > 0)
    call.afterwards(() => changeGroup(world, group, { by: person, action, people: changed }));
  return node(action, {}, answers);
}

/** Whether others may add the person to groups; otherwise they can be invited. */
function takesPart({ privacy }: Person): boolean {
  return privacy.get("groupadd") === "all";
}

/** With 403, the answer has what an invitation needs. */
function refusedPerson({ world }: IqCall, jid: string, error: number): Node {
  const request = {
    code: randomBytes(8).toString("base64url"),
    expiration: String(seconds(world.nowMs() + 259_200_000)),
  };
  return node(
    "participant",
    { jid, error: String(error) },
    error === 403 ? [node("add_request", request)] : [],
  );
}

/** Why a person cannot be added, removed or given another rank. */
function refusal(group: Group, action: MemberAction, member: Person | undefined): number | undefined {
  if (!member) return 404;
  const isMember = group.members.has(member.phone);
  if (action === "add") {
    if (isMember) return 409;
    if (!takesPart(member)) return 403;
    if (group.left.has(member.phone)) return 408;
    return group.members.size >= maxMembers ? 419 : undefined;
  }
  if (!isMember) return 404;
  return action !== "promote" && group.members.get(member.phone) === "superadmin" ? 406 : undefined;
}

function needAdmin(group: Group, { phone }: Person): void {
  if (group.members.get(phone) === undefined) throw notAdmin();
}

function readSubject(text = ""): string {
  if (text.trim() === "" || text.length > maxSubject) throw new IqError(406, "not-acceptable");
  return text;
}

/** Empty if it is to be deleted. */
function readDescription(description: Node): string {
  if (description.attrs["delete"] === "true") return "";
  const text = needBytes(description, "body").toString();
  if (text.length > maxDescription) throw new IqError(406, "not-acceptable");
  return text;
}
