import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import { proto } from "baileys/WAProto/index.js";
import { sealMedia } from "../media/cipher.ts";
import type { Companion, Person } from "../person/person.ts";
import { isGroupJid } from "../wire/jid.ts";
import { node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";
import type { StoredMessage } from "./conversation.ts";
import { sealFor } from "./seal.ts";

const { HistorySync, Message } = proto;
const { Type } = Message.ProtocolMessage;
const { READ, DELIVERY_ACK: DELIVERED } = proto.WebMessageInfo.Status;
const { INITIAL_BOOTSTRAP, FULL } = HistorySync.HistorySyncType;

/** The phone sends the earlier history and the app state keys to a newly linked device. */
export function pushHistory(world: World, companion: Companion): void {
  companion.history = "pushed";
  const { person } = companion;
  push(world, companion, {
    protocolMessage: {
      type: Type.APP_STATE_SYNC_KEY_SHARE,
      appStateSyncKeyShare: { keys: [newAppStateKey()] },
    },
  });
  void pushChunks(world, companion, chunksOf(world, person));
}

/** The first notification contains its part of the history, the others the address of theirs. */
async function pushChunks(world: World, companion: Companion, chunks: readonly Told[][]): Promise<void> {
  for (const [index, told] of chunks.entries()) {
    const isFirst = index === 0;
    const about = {
      syncType: isFirst ? INITIAL_BOOTSTRAP : FULL,
      chunkOrder: index + 1,
      progress: Math.round(((index + 1) * 100) / chunks.length),
    };
    const bytes = historyOf(world, told, about);
    const content = isFirst ? { initialHistBootstrapInlinePayload: bytes } : await stored(world, bytes);
    push(world, companion, {
      protocolMessage: {
        type: Type.HISTORY_SYNC_NOTIFICATION,
        historySyncNotification: { ...about, ...content },
      },
    });
  }
}

async function stored(world: World, bytes: Uint8Array): Promise<proto.Message.IHistorySyncNotification> {
  const { sealed, mediaKey, fileSha256, fileEncSha256 } = sealMedia("history", bytes);
  const { directPath } = await world.media.put(sealed);
  return { directPath, mediaKey, fileSha256, fileEncSha256, fileLength: bytes.length };
}

/** A message of the phone to its own device only. */
function push(world: World, companion: Companion, message: proto.IMessage): void {
  const { person } = companion;
  const attributes = {
    from: person.jid,
    id: world.newMessageId(),
    type: "text",
    category: "peer",
    t: seconds(world.nowMs()),
  };
  companion.deliver(node("message", attributes, [sealFor(world, { from: person, to: companion, message })]));
}

function newAppStateKey(): proto.Message.IAppStateSyncKey {
  return {
    keyId: { keyId: Buffer.concat([Buffer.of(0, 0), randomBytes(4)]) },
    keyData: {
      keyData: randomBytes(32),
      fingerprint: { rawId: 1, currentIndex: 0, deviceIndexes: [0, 1] },
      timestamp: Date.now(),
    },
  };
}

/** A message of a conversation. */
interface Told {
  readonly chat: string;
  readonly message: proto.IWebMessageInfo;
}

/** All messages of the phone, the newest of each conversation first, in parts of the size that the settings name. */
function chunksOf(world: World, person: Person): Told[][] {
  const { historyChunk } = world.settings;
  const told = [...person.chats].flatMap(([chat, conversation]) => {
    const id = world.people.get(chat)?.jid ?? chat;
    return conversation
      .list()
      .map((each) => ({ chat, message: describe(world, { person, each, id }) }))
      .reverse();
  });
  if (historyChunk === 0) return [told];
  const chunks = Math.max(1, Math.ceil(told.length / historyChunk));
  return Array.from({ length: chunks }, (_, n) => told.slice(n * historyChunk, (n + 1) * historyChunk));
}

interface About {
  readonly syncType: proto.HistorySync.HistorySyncType;
  readonly chunkOrder: number;
  readonly progress: number;
}

/** Conversations with these messages, compressed. */
function historyOf(world: World, told: readonly Told[], about: About): Buffer {
  const byChat = Map.groupBy(told, ({ chat }) => chat);
  const conversations = [...byChat].map(([chat, messages]) => {
    const other = world.people.get(chat);
    return {
      id: other?.jid ?? chat,
      name: other?.name ?? world.groups.get(chat)?.subject ?? null,
      messages: messages.map(({ message }) => ({ message })),
      ...(other && { lidJid: other.lidJid }),
    };
  });
  const people = [...byChat.keys()].flatMap((chat) => world.people.get(chat) ?? []);
  const history = {
    ...about,
    conversations,
    pushnames: people.map(({ jid, name }) => ({ id: jid, pushname: name })),
    phoneNumberToLidMappings: people.map(({ jid, lidJid }) => ({ pnJid: jid, lidJid })),
  };
  return deflateSync(HistorySync.encode(history).finish());
}

function describe(
  world: World,
  { person, each, id }: { person: Person; each: StoredMessage; id: string },
): proto.IWebMessageInfo {
  const author = world.people.get(each.from);
  return {
    key: {
      remoteJid: id,
      fromMe: each.from === person.phone,
      id: each.id,
      ...(isGroupJid(id) && author && { participant: author.lidJid }),
    },
    message: each.content,
    messageTimestamp: Math.floor(each.atMs / 1000),
    ...(author && { pushName: author.name }),
    ...(each.from === person.phone && { status: each.readBy.size > 0 ? READ : DELIVERED }),
  };
}
