import { buffer } from "node:stream/consumers";
import type { BinaryNode, GroupMetadata } from "baileys";
import { GroupRefused, TransportError } from "../../../core/transport/errors.ts";
import type {
  CreatedGroup,
  Group,
  GroupChange,
  GroupMethods,
  GroupPersonName,
  NewGroup,
  PersonOutcome,
} from "../../../core/transport/groups.ts";
import { S_WHATSAPP_NET } from "../library.ts";
import { messageIdOf } from "../outbound/message-id.ts";
import { findTarget, type Line, orGiveUp } from "../outbound/sender.ts";
import { addressOf, chatNameOf, jidOf, parseJid } from "../people/addresses.ts";
import { type AnsweredPerson, answeredPeople, childOf, createdGroup, isNamed, resultOf } from "./answers.ts";
import { toGroup } from "./members.ts";
import { type Asked, groupError } from "./refusals.ts";

const QUERY_TIMEOUT_MS = 20_000;
/** Where groups are created. */
const GROUP_SERVER = "@g.us";

/** `line` throws if the account is not connected. */
export function groupMethods(line: () => Line): GroupMethods {
  return {
    create: (request, signal) => orRefused("create", () => createGroup(line(), request, signal)),
    read: (chatId, signal) => orRefused("read", () => readGroup(line(), chatId, signal)),
    change: (chatId, change, signal) =>
      orRefused(askedBy(change), () => changeGroup(line(), chatId, change, signal)),
  };
}

async function orRefused<T>(asked: Asked, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TypeError ? error : groupError(error, asked);
  }
}

function askedBy({ kind }: GroupChange): Asked {
  return kind === "rename" || kind === "picture" ? kind : "people";
}

/** WhatsApp answers with the group, in which those who could not be added are listed with a code. */
async function createGroup(
  line: Line,
  { id, name, people }: NewGroup,
  signal: AbortSignal,
): Promise<CreatedGroup> {
  const found = await findPeople(line, people);
  const jids = found.flatMap(({ jid }) => jid ?? []);
  if (jids.length === 0) throw new GroupRefused("nobody_added", "None of these people has WhatsApp");
  const key = messageIdOf("group", id).replace(/^3EB0/, "");
  const content = jids.map((jid) => ({ tag: "participant", attrs: { jid } }));
  const answer = await ask(
    line,
    GROUP_SERVER,
    "set",
    { tag: "create", attrs: { subject: name, key }, content },
    signal,
  );
  const made = childOf(answer, "group");
  const answered = answeredPeople(made);
  const group = await groupOf(line, createdGroup(made, name));
  return { group, people: found.map((each) => outcomeOf(each, answered, "add")) };
}

async function readGroup(line: Line, chatId: string, signal: AbortSignal): Promise<Group> {
  const jid = groupJid(chatId);
  return groupOf(line, await orGiveUp(line.lookUpGroup(jid), over(line, signal)));
}

async function changeGroup(
  line: Line,
  chatId: string,
  change: GroupChange,
  signal: AbortSignal,
): Promise<readonly PersonOutcome[]> {
  const jid = groupJid(chatId);
  try {
    return await make(line, jid, change, signal);
  } catch (error) {
    const refused = groupError(error, askedBy(change));
    // The same code is told of members without the rights.
    if (refused instanceof GroupRefused && refused.reason === "not_a_member" && (await isMember(line, jid)))
      throw new GroupRefused("not_an_admin", "WhatsApp allows this to the group's administrators only", {
        cause: error,
        data: refused.data,
      });
    throw refused;
  } finally {
    line.people.forgetGroup(jid);
  }
}

async function make(
  line: Line,
  jid: string,
  change: GroupChange,
  signal: AbortSignal,
): Promise<readonly PersonOutcome[]> {
  switch (change.kind) {
    case "rename": {
      const content = Buffer.from(change.name);
      await ask(line, jid, "set", { tag: "subject", attrs: {}, content }, signal);
      return [];
    }
    case "picture": {
      const picture = change.picture === null ? null : await buffer(change.picture.open());
      await setPicture(line, jid, picture, signal);
      return [];
    }
    default:
      return changePeople(line, jid, change, signal);
  }
}

/** A group's picture; null removes it. The library would convert it, with packages that it does not bring. */
async function setPicture(
  line: Line,
  target: string,
  picture: Buffer | null,
  signal: AbortSignal,
): Promise<void> {
  const content = picture === null ? [] : [{ tag: "picture", attrs: { type: "image" }, content: picture }];
  const attrs = { to: S_WHATSAPP_NET, target, type: "set", xmlns: "w:profile:picture" };
  await query(line, { tag: "iq", attrs, content }, signal);
}

type PeopleChange = Extract<GroupChange, { readonly people: unknown }>;

async function changePeople(
  line: Line,
  group: string,
  { kind, people }: PeopleChange,
  signal: AbortSignal,
): Promise<PersonOutcome[]> {
  const found =
    kind === "add"
      ? await findPeople(line, people)
      : await findMembers(line, await line.lookUpGroup(group), people);
  const content = found.flatMap(({ jid }) => (jid === null ? [] : [{ tag: "participant", attrs: { jid } }]));
  if (content.length === 0) return found.map((each) => outcomeOf(each, [], kind));
  const answer = await ask(line, group, "set", { tag: kind, attrs: {}, content }, signal);
  const answered = answeredPeople(childOf(answer, kind));
  return found.map((each) => outcomeOf(each, answered, kind));
}

/** A person of a request, with the address that WhatsApp is asked for; null: it need not be asked. */
interface Found {
  readonly person: GroupPersonName;
  readonly jid: string | null;
}

/** Numbers are looked up, as before a message: many numbers without accounts lead to restrictions. */
async function findPeople(line: Line, people: readonly GroupPersonName[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const person of people) found.push({ person, jid: await accountOf(line, person) });
  return found;
}

async function accountOf(line: Line, person: GroupPersonName): Promise<string | null> {
  try {
    return (await findTarget(line, { chatType: "whatsapp", chatId: idOf(person) })).jid;
  } catch (error) {
    // Nobody there; anything else says nothing about the person.
    if (error instanceof TransportError && error.code === "BAD_CONTACT") return null;
    throw error;
  }
}

/** In groups with hidden numbers, members have the addresses of the list. */
async function findMembers(
  { people }: Line,
  { participants }: GroupMetadata,
  names: readonly GroupPersonName[],
): Promise<Found[]> {
  const members = participants.map(({ id: jid, phoneNumber, lid }) => {
    const alternative = phoneNumber ?? lid;
    return { jid, ...(alternative && { alternative }) };
  });
  return Promise.all(
    names.map(async (person): Promise<Found> => {
      const own = jidOf(addressOf({ chatType: "whatsapp", chatId: idOf(person) }) ?? { kind: "other" }) ?? "";
      const known = (await people.find(idOf(person))).jid ?? own;
      const member = members.find((each) => isNamed(each, own) || isNamed(each, known));
      return { person, jid: member?.jid ?? null };
    }),
  );
}

function idOf(person: GroupPersonName): string {
  if ("id" in person) return person.id;
  return "phone" in person ? person.phone : person.username;
}

function outcomeOf(
  { person, jid }: Found,
  answered: readonly AnsweredPerson[],
  kind: PeopleChange["kind"],
): PersonOutcome {
  if (jid === null) return { person, result: kind === "add" ? "unknown" : "not_a_member" };
  const answer = answered.find((each) => isNamed(each, jid));
  if (answer === undefined) return { person, result: "refused", data: "not in WhatsApp's answer" };
  const { error } = answer;
  const number = [answer.jid, answer.alternative, jid].find((each) => parseJid(each).kind === "phone");
  const id = chatNameOf(parseJid(number ?? jid))?.chatId;
  return {
    person,
    ...(id === undefined || error === "404" ? {} : { id }),
    result: resultOf(error, kind),
    ...(error === undefined ? {} : { data: error }),
  };
}

function groupJid(chatId: string): string {
  const address = addressOf({ chatType: "whatsgroup", chatId });
  const jid = address === null ? null : jidOf(address);
  if (jid === null) throw new GroupRefused("not_found", "This is not the id of a WhatsApp group");
  return jid;
}

function groupOf(line: Line, metadata: Parameters<typeof toGroup>[0]): Promise<Group> {
  const { user } = line.socket;
  return toGroup(metadata, { people: line.people, me: [user?.id, user?.lid] });
}

async function isMember(line: Line, jid: string): Promise<boolean> {
  line.people.forgetGroup(jid);
  return line.lookUpGroup(jid).then(
    () => true,
    () => false,
  );
}

function ask(
  line: Line,
  to: string,
  type: "set",
  content: BinaryNode,
  signal: AbortSignal,
): Promise<BinaryNode> {
  return query(line, { tag: "iq", attrs: { type, xmlns: "w:g2", to }, content: [content] }, signal);
}

/** The library may hang on a dead connection. */
async function query(line: Line, node: BinaryNode, signal: AbortSignal): Promise<BinaryNode> {
  const asked: Promise<BinaryNode> = line.socket.query(node, QUERY_TIMEOUT_MS);
  return orGiveUp(asked, over(line, signal));
}

function over({ signal: ended }: Line, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, ended]);
}
