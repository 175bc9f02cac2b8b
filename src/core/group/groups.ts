import { newId } from "../../platform/ids.ts";
import { isAllowedUrl } from "../../platform/network/safe-fetch.ts";
import type { Base } from "../base.ts";
import { type Channel, getChannel } from "../channel/channel.ts";
import { askSession } from "../channel/session-requests.ts";
import { normalChatId } from "../chat/names.ts";
import type { Attachment } from "../content.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import type { GroupCapabilities, TransportDefinition } from "../transport/definition.ts";
import type { Group, GroupChange, GroupPeopleChange, PersonOutcome } from "../transport/groups.ts";
import { definitionOf } from "../transport/registry.ts";
import type { DoneChange, GroupAnswer, GroupCall, GroupKey, WantedChange } from "./call.ts";
import { findCreation } from "./creations.ts";
import { failureOf, outcomeUnknown } from "./failures.ts";
import { type GivenPerson, namesOf } from "./people.ts";

export interface CreateGroupRequest {
  readonly channelId: string;
  readonly name: string;
  readonly people: readonly GivenPerson[];
}

/** What a client wants to change; at least one part. */
export interface ChangeGroupRequest {
  readonly name?: string;
  /** Null removes it. */
  readonly picture?: Attachment | null;
  readonly people: Readonly<Partial<Record<GroupPeopleChange, readonly GivenPerson[]>>>;
}

/**
 * Creates a group in the messenger and waits for its answer; then the group's chat exists, and messages can be sent to
 * it. `operationId`, if given, makes the call idempotent: a repetition never creates another group. Throws AppError;
 * GROUP_OUTCOME_UNKNOWN if the messenger may have created it.
 */
export async function createGroup(
  core: Base,
  scope: Scope,
  { channelId, name, people }: CreateGroupRequest,
  operationId: string | null,
): Promise<{ readonly key: GroupKey; readonly group: Group; readonly people: readonly PersonOutcome[] }> {
  const channel = await getChannel(core, scope, channelId);
  const { can, definition } = groupsOf(core, channel);
  if (!can.create) throw impossible();
  checkName(can, name);
  const names = namesOf(definition, can, people, "participants");
  if (names.length < can.limits.people.min) throw tooFew(can);
  checkUsable(channel);
  const id = operationId ?? newId();
  const before = await findCreation(core.db, scope, id);
  if (before === null) throw outcomeUnknown();
  const answer =
    before ?? (await ask(core, scope, channel, { kind: "create", request: { id, name, people: names } }, id));
  if (answer === null) throw outcomeUnknown();
  if (answer.kind !== "created") throw failureOf(answer);
  return { key: keyOf(channel, can, answer.group.chatId), group: answer.group, people: answer.people };
}

/** The group as the messenger knows it now. Throws AppError. */
export async function readGroup(
  core: Base,
  scope: Scope,
  { channelId, chatId }: { readonly channelId: string; readonly chatId: string },
): Promise<{ readonly key: GroupKey; readonly group: Group }> {
  const channel = await getChannel(core, scope, channelId);
  const { can } = groupsOf(core, channel);
  checkUsable(channel);
  const key = keyOf(channel, can, chatId);
  const answer = await ask(core, scope, channel, { kind: "read", chatId: key.chatId });
  // Reading has no effect, so it may be repeated.
  if (answer === null || answer.kind === "unknown")
    throw new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10 });
  if (answer.kind !== "read") throw failureOf(answer);
  return { key, group: answer.group };
}

/**
 * Makes changes one after the other, in the order of `CHANGES`, until one fails, and waits for the messenger. Throws
 * AppError; its data name the changes that were made (`done`).
 */
export async function changeGroup(
  core: Base,
  scope: Scope,
  { channelId, chatId }: { readonly channelId: string; readonly chatId: string },
  request: ChangeGroupRequest,
): Promise<{ readonly key: GroupKey; readonly done: readonly DoneChange[] }> {
  const channel = await getChannel(core, scope, channelId);
  const { can, definition } = groupsOf(core, channel);
  const changes = changesOf(core, definition, can, request);
  checkUsable(channel);
  const key = keyOf(channel, can, chatId);
  const answer = await ask(core, scope, channel, { kind: "change", chatId: key.chatId, changes });
  if (answer === null) throw outcomeUnknown();
  if (answer.kind !== "changed") throw failureOf(answer);
  return { key, done: answer.done };
}

async function ask(
  core: Base,
  scope: Scope,
  channel: Channel,
  body: GroupCall,
  id?: string,
): Promise<GroupAnswer | null> {
  return (await askSession(core, scope, channel.id, { kind: "group", body, id })) as GroupAnswer | null;
}

function groupsOf(
  core: Base,
  channel: Channel,
): { readonly can: GroupCapabilities; readonly definition: TransportDefinition } {
  const definition = definitionOf(core.transports, channel.transport);
  const { groups: can } = definition.capabilities;
  if (can === undefined) throw impossible();
  return { can, definition };
}

/** Which groups a transport cannot do this with. */
function impossible(change?: GroupChange["kind"]): AppError {
  return new AppError("CHANNEL_INVALID_TRANSPORT", change === undefined ? {} : { data: { change } });
}

/** Nothing can be asked of a channel that has no connection, not even later. */
function checkUsable({ status, reason }: Channel): void {
  if (status === "active") return;
  if (reason === "not_enough_money") throw new AppError("CHANNEL_NO_MONEY");
  if (reason === "blocked") throw new AppError("CHANNEL_BLOCKED");
  throw new AppError("MESSAGE_CHANNEL_UNAVAILABLE", { data: { status, reason } });
}

function keyOf({ id }: Channel, { chatType }: GroupCapabilities, chatId: string): GroupKey {
  return { channelId: id, chatType, chatId: normalChatId(chatType, chatId) ?? chatId };
}

function checkName({ limits }: GroupCapabilities, name: string): void {
  if (name.trim() === "") throw invalid("name", "must not be empty");
  if (name.length > limits.name) throw invalid("name", `must have at most ${limits.name} characters`);
}

function tooFew({ limits }: GroupCapabilities): AppError {
  return invalid("participants", `must name at least ${limits.people.min}`);
}

function invalid(field: string, message: string): AppError {
  return new AppError("VALIDATION_ERROR", { data: { fields: [{ field, message }] } });
}

/** The order in which changes are made: people come to a group that has its name, and are given roles as members. */
const CHANGES = ["rename", "picture", "add", "remove", "promote", "demote"] as const;
const FIELDS = {
  add: "participants.add",
  remove: "participants.remove",
  promote: "roles.promote",
  demote: "roles.demote",
} as const satisfies Readonly<Record<GroupPeopleChange, string>>;

function changesOf(
  core: Pick<Base, "settings">,
  definition: TransportDefinition,
  can: GroupCapabilities,
  request: ChangeGroupRequest,
): WantedChange[] {
  const changes = CHANGES.flatMap((kind) => {
    const change = changeOf(definition, can, request, kind);
    return change === null ? [] : [change];
  });
  if (changes.length === 0) throw invalid("name", "a name, picture, participants or roles are required");
  for (const change of changes) {
    if (!isPossible(can, change.kind)) throw impossible(change.kind);
    if (change.kind === "rename") checkName(can, change.name);
    if (change.kind === "picture") checkPicture(core, change.picture);
  }
  return changes;
}

function changeOf(
  definition: TransportDefinition,
  can: GroupCapabilities,
  { name, picture, people }: ChangeGroupRequest,
  kind: (typeof CHANGES)[number],
): WantedChange | null {
  if (kind === "rename") return name === undefined ? null : { kind, name };
  if (kind === "picture") return picture === undefined ? null : { kind, picture };
  const given = people[kind] ?? [];
  return given.length === 0 ? null : { kind, people: namesOf(definition, can, given, FIELDS[kind]) };
}

function isPossible(can: GroupCapabilities, kind: GroupChange["kind"]): boolean {
  switch (kind) {
    case "rename":
      return can.rename;
    case "picture":
      return can.picture !== null;
    case "add":
    case "remove":
      return can.participants.includes(kind);
    case "promote":
    case "demote":
      return can.roles.includes(kind);
  }
}

function checkPicture({ settings }: Pick<Base, "settings">, picture: Attachment | null): void {
  if (picture === null || isAllowedUrl(picture.url, settings.allowNetworks)) return;
  throw new AppError("ATTACHMENT_URL_NOT_ALLOWED", {
    data: { fields: [{ field: "picture_uri", message: "must be a public http or https address" }] },
  });
}
