import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import { proto } from "baileys/WAProto/index.js";
import type { Companion, Person } from "../person/person.ts";
import { isGroupJid } from "../wire/jid.ts";
import { node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";
import type { StoredMessage } from "./conversation.ts";
import { sealFor } from "./seal.ts";

const { HistorySync, Message } = proto;
const { Type } = Message.ProtocolMessage;

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
  push(world, companion, {
    protocolMessage: {
      type: Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: {
        syncType: HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
        chunkOrder: 1,
        progress: 100,
        initialHistBootstrapInlinePayload: historyOf(world, person),
      },
    },
  });
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

/** Every conversation of the phone, compressed. */
function historyOf(world: World, person: Person): Buffer {
  const conversations = [...person.chats].map(([chat, conversation]) => {
    const other = world.people.get(chat);
    const id = other?.jid ?? chat;
    const messages = conversation.list().map((each) => ({ message: describe(world, { person, each, id }) }));
    return {
      id,
      name: other?.name ?? world.groups.get(chat)?.subject ?? null,
      messages: messages.reverse(),
      ...(other && { lidJid: other.lidJid }),
    };
  });
  const people = [...person.chats.keys()].flatMap((chat) => world.people.get(chat) ?? []);
  const history = {
    syncType: HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
    conversations,
    chunkOrder: 1,
    progress: 100,
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
  };
}
