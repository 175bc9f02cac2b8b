import { isRecord } from "../../http/fields.ts";
import type { MediaStore } from "../media/store.ts";
import { Account, type Password, Session } from "./account.ts";
import { Chat, type ChatType, type Message, type Participant } from "./chat.ts";
import type { World } from "./world.ts";

/** Version of the format; other versions are not loaded. */
const version = 1;

interface SavedSession {
  readonly number: number;
  readonly deviceId: string;
  readonly client: string;
  readonly token: string;
  readonly previousToken: string | undefined;
  readonly createdMs: number;
}

interface SavedAccount {
  readonly id: number;
  readonly phone: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly password: Password | undefined;
  readonly isBlocked: boolean;
  readonly inviters: Account["inviters"];
  readonly blocks: readonly number[];
  readonly contacts: readonly number[];
  readonly photoToken: string | undefined;
  readonly updatedMs: number;
  readonly sessions: readonly SavedSession[];
}

type SavedLink = Omit<NonNullable<Message["link"]>, "messageId"> & { readonly messageId: string };

type SavedMessage = Omit<Message, "id" | "hiddenFor" | "reactions" | "link"> & {
  readonly id: string;
  readonly hiddenFor: readonly number[];
  readonly reactions: readonly (readonly [number, string])[];
  readonly link: SavedLink | undefined;
};

interface SavedChat {
  readonly id: number;
  readonly type: ChatType;
  readonly owner: number;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly link: string | undefined;
  readonly photoToken: string | undefined;
  readonly createdMs: number;
  readonly modifiedMs: number;
  readonly participants: readonly (readonly [number, Participant])[];
  readonly admins: readonly number[];
  readonly messages: readonly SavedMessage[];
}

interface SavedWorld {
  readonly version: number;
  readonly accounts: readonly SavedAccount[];
  readonly chats: readonly SavedChat[];
  readonly endedByAll: readonly string[];
  readonly media: ReturnType<MediaStore["save"]>;
}

/**
 * People, sessions, conversations and files as plain JSON. Pending logins, subscriptions and journals are not kept.
 */
export function saveWorld(world: World): SavedWorld {
  return {
    version,
    accounts: [...world.accounts.values()].map(saveAccount),
    chats: [...world.chats.values()].map(saveChat),
    endedByAll: [...world.endedByAll],
    media: world.media.save(),
  };
}

/** Restores what `saveWorld` returned; other values are ignored. */
export function restoreWorld(world: World, saved: unknown): void {
  if (!isRecord(saved) || saved["version"] !== version) return;
  const { accounts, chats, endedByAll, media } = saved as unknown as SavedWorld;
  for (const each of accounts) restoreAccount(world, each);
  for (const each of chats) restoreChat(world, each);
  for (const token of endedByAll) world.endedByAll.add(token);
  world.media.restore(media);
}

function saveAccount(account: Account): SavedAccount {
  const { id, phone, firstName, lastName, password, isBlocked, blocks, contacts, photoToken, updatedMs } =
    account;
  const { inviters } = account;
  const sessions = [...account.sessions.values()].map(
    ({ number, deviceId, client, token, previousToken, createdMs }) => ({
      number,
      deviceId,
      client,
      token,
      previousToken,
      createdMs,
    }),
  );
  return {
    id,
    phone,
    firstName,
    lastName,
    password,
    isBlocked,
    inviters,
    blocks: [...blocks],
    contacts: [...contacts],
    photoToken,
    updatedMs,
    sessions,
  };
}

function restoreAccount(world: World, saved: SavedAccount): void {
  const { id, phone, firstName: name, lastName, updatedMs: nowMs } = saved;
  const account = world.register(new Account({ id, phone, name, lastName, nowMs }));
  account.password = saved.password;
  account.isBlocked = saved.isBlocked;
  account.inviters = saved.inviters;
  account.photoToken = saved.photoToken;
  for (const each of saved.blocks) account.blocks.add(each);
  for (const each of saved.contacts) account.contacts.add(each);
  for (const { previousToken, createdMs, ...rest } of saved.sessions) {
    const session = world.registerSession(new Session({ ...rest, account, nowMs: createdMs }));
    session.previousToken = previousToken;
    if (previousToken !== undefined) world.tokens.set(previousToken, session);
  }
}

function saveChat(chat: Chat): SavedChat {
  const {
    id,
    type,
    owner,
    title,
    description,
    link,
    photoToken,
    createdMs,
    modifiedMs,
    participants,
    admins,
  } = chat;
  return {
    id,
    type,
    owner,
    title,
    description,
    link,
    photoToken,
    createdMs,
    modifiedMs,
    participants: [...participants],
    admins: [...admins],
    messages: chat.messages.map(saveMessage),
  };
}

function saveMessage({ id, hiddenFor, reactions, link, ...rest }: Message): SavedMessage {
  return {
    ...rest,
    id: String(id),
    hiddenFor: [...hiddenFor],
    reactions: [...reactions],
    link: link && { ...link, messageId: String(link.messageId) },
  };
}

function restoreChat(world: World, saved: SavedChat): void {
  const { id, type, owner, title, createdMs: nowMs } = saved;
  const chat = new Chat({ id, type, owner, title, nowMs });
  chat.description = saved.description;
  chat.link = saved.link;
  chat.photoToken = saved.photoToken;
  for (const [member, participant] of saved.participants) chat.participants.set(member, participant);
  for (const each of saved.admins) chat.admins.add(each);
  for (const each of saved.messages) chat.add(restoreMessage(world, each));
  world.restoreChat(chat);
  chat.modifiedMs = saved.modifiedMs;
}

function restoreMessage(world: World, saved: SavedMessage): Message {
  const { id, hiddenFor, reactions, link, ...rest } = saved;
  world.seenMessageId(BigInt(id));
  return {
    ...rest,
    // JSON has no undefined fields.
    cid: rest.cid,
    status: rest.status,
    updateTime: rest.updateTime,
    id: BigInt(id),
    hiddenFor: new Set(hiddenFor),
    reactions: new Map(reactions),
    link: link && { ...link, messageId: BigInt(link.messageId) },
  };
}
