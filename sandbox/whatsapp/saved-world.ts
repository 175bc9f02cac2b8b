import { proto } from "baileys/WAProto/index.js";
import { isRecord } from "../http/fields.ts";
import { pack, unpack } from "../saved-value.ts";
import type { StoredMessage } from "./chat/conversation.ts";
import { Group, type Rank } from "./group.ts";
import type { CompanionKeys } from "./person/linked-device.ts";
import { LinkedDevice } from "./person/linked-device.ts";
import type { Companion } from "./person/person.ts";
import { Person } from "./person/person.ts";
import type { Picture } from "./person/picture.ts";
import { type DeviceState, SignalDevice } from "./signal/device.ts";
import type { Node } from "./wire/node.ts";
import type { World } from "./world.ts";

/** Version of the format; other versions are not loaded. */
const version = 1;

interface SavedCompanion {
  readonly device: number;
  readonly keyIndex: number;
  readonly keys: CompanionKeys;
  readonly signedIdentity: Buffer;
  readonly preKeys: ReadonlyMap<number, Buffer>;
  readonly history: Companion["history"];
  readonly unconfirmed: readonly Node[];
}

interface SavedPerson {
  readonly phone: string;
  readonly lid: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly device: DeviceState;
  readonly nextDevice: number;
  readonly about?: Person["about"];
  readonly picture: Picture | undefined;
  readonly absentSinceMs?: number | undefined;
  readonly passkeyGate?: Person["passkeyGate"];
  readonly passkeys?: Person["passkeys"];
  readonly blocked: ReadonlySet<string>;
  readonly privacy: ReadonlyMap<string, string>;
  readonly appState: ReadonlyMap<string, Buffer[]>;
  readonly companions: readonly SavedCompanion[];
  readonly chats: ReadonlyMap<string, readonly SavedMessage[]>;
}

type SavedMessage = Omit<StoredMessage, "content"> & { readonly content: Buffer };

interface SavedGroup {
  readonly id: string;
  readonly subject: string;
  readonly creator: string;
  readonly createdMs: number;
  readonly description: string | undefined;
  readonly subjectMs?: number;
  readonly subjectBy?: string;
  readonly picture?: Picture | undefined;
  readonly inviteCode: string;
  readonly members: ReadonlyMap<string, Rank>;
}

interface SavedWorld {
  readonly people: readonly SavedPerson[];
  readonly groups: readonly SavedGroup[];
  readonly files: readonly [string, { key: string; size: number }][];
}

/**
 * People, links, sessions, conversations and files as plain JSON. Sender keys of groups are distributed again after a
 * restart.
 */
export function saveWorld(world: World): unknown {
  const saved: SavedWorld = {
    people: [...world.people.values()].map(savePerson),
    groups: [...world.groups.values()].map(saveGroup),
    files: world.media.list(),
  };
  return { version, world: pack(saved) };
}

/** Restores what `saveWorld` returned; other values are ignored. */
export function restoreWorld(world: World, saved: unknown): void {
  if (!isRecord(saved) || saved["version"] !== version) return;
  const { people, groups, files } = unpack(saved["world"]) as SavedWorld;
  for (const each of people) world.register(restorePerson(each));
  for (const each of groups) world.groups.set(each.id, restoreGroup(each));
  world.media.restore(files);
}

function saveGroup(group: Group): SavedGroup {
  const { id, subject, subjectMs, subjectBy, creator, createdMs } = group;
  const { description, picture, inviteCode, members } = group;
  return { id, subject, subjectMs, subjectBy, creator, createdMs, description, picture, inviteCode, members };
}

function restoreGroup(saved: SavedGroup): Group {
  const group = new Group(saved);
  group.subjectMs = saved.subjectMs ?? saved.createdMs;
  group.subjectBy = saved.subjectBy ?? saved.creator;
  group.description = saved.description;
  group.picture = saved.picture;
  group.inviteCode = saved.inviteCode;
  for (const [phone, rank] of saved.members) group.members.set(phone, rank);
  return group;
}

function savePerson(person: Person): SavedPerson {
  const { phone, lid, name, aliases, nextDevice, picture, blocked, privacy, appState } = person;
  const { about, absentSinceMs, passkeyGate, passkeys } = person;
  return {
    phone,
    lid,
    name,
    aliases,
    nextDevice,
    about,
    picture,
    absentSinceMs,
    passkeyGate,
    passkeys,
    blocked,
    privacy,
    appState,
    device: person.device.state,
    companions: [...person.companions.values()].map(
      ({ device, keyIndex, keys, signedIdentity, preKeys, history, unconfirmed }) => ({
        device,
        keyIndex,
        keys,
        signedIdentity,
        preKeys,
        history,
        unconfirmed,
      }),
    ),
    chats: new Map(
      [...person.chats].map(([chat, conversation]) => [chat, conversation.list().map(saveMessage)]),
    ),
  };
}

function saveMessage({ content, ...rest }: StoredMessage): SavedMessage {
  return { ...rest, content: Buffer.from(proto.Message.encode(content).finish()) };
}

function restorePerson(saved: SavedPerson): Person {
  const { phone, lid, name } = saved;
  const person = new Person({ phone, lid, name, device: new SignalDevice(saved.device) });
  person.aliases = saved.aliases;
  person.nextDevice = saved.nextDevice;
  if (saved.about) person.about = saved.about;
  person.picture = saved.picture;
  person.absentSinceMs = saved.absentSinceMs;
  if (saved.passkeyGate) person.passkeyGate = saved.passkeyGate;
  for (const [id, passkey] of saved.passkeys ?? []) person.passkeys.set(id, passkey);
  for (const each of saved.blocked) person.blocked.add(each);
  for (const [key, value] of saved.privacy) person.privacy.set(key, value);
  for (const [key, value] of saved.appState) person.appState.set(key, value);
  for (const each of saved.companions) restoreCompanion(person, each);
  for (const [chat, messages] of saved.chats)
    for (const { content, ...rest } of messages)
      person.chat(chat).put({ ...rest, content: proto.Message.decode(content) });
  return person;
}

function restoreCompanion(person: Person, saved: SavedCompanion): void {
  const { device, keyIndex, keys, signedIdentity } = saved;
  const companion = new LinkedDevice({ person, device, keyIndex, keys, signedIdentity });
  for (const [id, key] of saved.preKeys) companion.preKeys.set(id, key);
  companion.history = saved.history;
  companion.restoreUnconfirmed(saved.unconfirmed);
  person.companions.set(device, companion);
}
