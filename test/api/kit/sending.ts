import { tmpdir } from "node:os";
import { buffer } from "node:stream/consumers";
import Type from "typebox";
import { vi } from "vitest";
import {
  type ChannelLink,
  defineTransport,
  type FoundPerson,
  type MarkedChat,
  type OutboundFile,
  type OutboundMessage,
  type Recipient,
  type Transport,
} from "../../../src/core/transport/connector.ts";
import type {
  Capabilities,
  ChatMark,
  Pacing,
  TransportDefinition,
} from "../../../src/core/transport/definition.ts";
import type { MessageRef, TransportEvent } from "../../../src/core/transport/events.ts";
import type { GroupChange, GroupMethods, NewGroup } from "../../../src/core/transport/groups.ts";
import { newId } from "../../../src/platform/ids.ts";
import { MediaProcesses } from "../../../src/platform/media/media-processes.ts";
import { createGuardedDispatcher } from "../../../src/platform/network/safe-fetch.ts";
import { takeLease } from "../../../src/work/lease.ts";
import { Sender } from "../../../src/work/send/sender.ts";
import { GroupCalls } from "../../../src/work/session/group-calls.ts";
import { PhoneChecker } from "../../../src/work/session/phone-checker.ts";
import { SessionRequests } from "../../../src/work/session/session-requests.ts";
import { Sessions } from "../../../src/work/session/sessions.ts";
import { quietLog } from "../../kit/database.ts";
import { postbox } from "../../kit/transport.ts";
import type { TestNode } from "./service.ts";

/** A messenger in memory: what arrived at it, and whom it refuses. */
export interface TestMessenger {
  readonly transport: Transport;
  readonly arrived: readonly Arrival[];
  /** Throws what the messenger answers to a message to this chat. */
  refuse: (chatId: string) => void;
  /** Channels whose opening has begun, in that order. */
  readonly opened: readonly string[];
  /** What the connector does before it says that the channel is linked. */
  connect: (channelId: string) => Promise<void> | undefined;
  /** What the connector does before the channel's session is closed. */
  disconnect: (channelId: string) => Promise<void> | undefined;
  /** What a message to this chat waits for before it arrives; the signal is that of the send. */
  hinder: (chatId: string, signal: AbortSignal) => Promise<void> | undefined;
  /** Reads a file that is sent, before it arrives. */
  read: (file: OutboundFile) => Promise<void> | undefined;
  /** The id of the chat that receives a message to this recipient. */
  resolve: (to: Recipient) => string;
  /** Edits and removals that arrived. */
  readonly changed: readonly MessageRef[];
  /** Reactions that arrived. */
  readonly reacted: readonly { readonly externalId: string; readonly emoji: string | null }[];
  /** Marks of chats that arrived. */
  readonly marked: readonly { readonly mark: ChatMark; readonly chat: MarkedChat }[];
  /** Groups that were created, and changes of groups, in the order in which they arrived. */
  readonly grouped: readonly (
    | { readonly created: NewGroup }
    | { readonly chatId: string; readonly change: GroupChange; readonly picture: string | null }
  )[];
  /** How a call about a group ends instead of succeeding at once. */
  groups: Partial<GroupMethods>;
  /** Numbers that were looked up. */
  readonly lookedUp: readonly string[];
  /** What the messenger answers to the lookup of a number. */
  find: (phone: string) => FoundPerson | null;
  /** The messenger's id for the next message to this chat. */
  name: (chatId: string) => string;
  untilArrived(...texts: readonly string[]): Promise<void>;
  /** Tells something through the open session of the channel. */
  tell(channelId: string, event: TransportEvent): Promise<void>;
}

interface Arrival {
  readonly chatId: string;
  readonly text: string;
  readonly at: Date;
  readonly message: OutboundMessage;
}

const PATIENCE = { interval: 20 };

export function createMessenger(
  pacing: Pacing,
  capabilities: Partial<Capabilities> = {},
  chatTypes: TransportDefinition["chatTypes"] = ["whatsapp", "whatsgroup"],
): TestMessenger {
  const arrived: Arrival[] = [];
  const changed: MessageRef[] = [];
  const reacted: { externalId: string; emoji: string | null }[] = [];
  const marked: { mark: ChatMark; chat: MarkedChat }[] = [];
  const grouped: TestMessenger["grouped"][number][] = [];
  const opened: string[] = [];
  const lookedUp: string[] = [];
  const links = new Map<string, ChannelLink>();
  const definition = {
    ...postbox,
    id: "whatsapp",
    connect: "qr",
    credentials: Type.Object({}),
    chatTypes,
    capabilities: { ...postbox.capabilities, text: { maxLength: 100 }, ...capabilities },
    pacing,
  } satisfies TransportDefinition;
  const messenger: TestMessenger = {
    arrived,
    changed,
    reacted,
    marked,
    grouped,
    groups: {},
    resolve: ({ chatId = "" }) => chatId,
    refuse: () => undefined,
    hinder: () => undefined,
    read: () => undefined,
    name: () => newId(),
    lookedUp,
    find: () => null,
    connect: () => undefined,
    disconnect: () => undefined,
    opened,
    untilArrived: (...texts) =>
      vi
        .waitUntil(() => texts.every((text) => arrived.some((each) => each.text === text)), PATIENCE)
        .then(() => undefined),
    async tell(channelId, event) {
      const link = await vi.waitUntil(() => links.get(channelId), PATIENCE);
      await link.emit(event);
    },
    transport: defineTransport(definition, {
      async open(link) {
        links.set(link.channelId, link as ChannelLink);
        opened.push(link.channelId);
        await messenger.connect(link.channelId);
        return {
          async send(message, signal) {
            const { content, to } = message;
            const chatId = messenger.resolve(to);
            messenger.refuse(chatId);
            await messenger.hinder(chatId, signal);
            if (content.type === "file") await messenger.read(content.file);
            const text = content.type === "text" ? content.text : "";
            arrived.push({ chatId, text, at: new Date(), message });
            return { chatId, externalId: messenger.name(chatId), sentAt: new Date() };
          },
          edit: async (ref) => void changed.push(ref),
          remove: async (ref) => void changed.push(ref),
          react: async ({ externalId }, emoji, signal) => {
            await messenger.hinder("reaction", signal);
            messenger.refuse("reaction");
            reacted.push({ externalId, emoji });
          },
          ...(definition.capabilities.marks === undefined
            ? {}
            : {
                mark: async (chat: MarkedChat, mark: ChatMark, signal: AbortSignal) => {
                  await messenger.hinder("mark", signal);
                  messenger.refuse("mark");
                  marked.push({ mark, chat });
                },
              }),
          ...(definition.capabilities.groups === undefined ? {} : { groups: groupsOf(messenger, grouped) }),
          ...(pacing.phoneChecks === undefined
            ? {}
            : {
                findPerson: async (phone: string) => {
                  lookedUp.push(phone);
                  return messenger.find(phone);
                },
              }),
          close: async () => {
            links.delete(link.channelId);
            await messenger.disconnect(link.channelId);
          },
        };
      },
    }),
  };
  return messenger;
}

const OWN = { id: "79990000000", name: "Shop", role: "owner", isOwn: true } as const;

/** Groups that accept everybody and everything, unless the test says otherwise. */
function groupsOf(messenger: TestMessenger, grouped: TestMessenger["grouped"][number][]): GroupMethods {
  return {
    async create(request, signal) {
      grouped.push({ created: request });
      if (messenger.groups.create !== undefined) return messenger.groups.create(request, signal);
      const idOf = (person: object): string => String(Object.values(person)[0]);
      const members = request.people.map((person) => {
        return { id: idOf(person), name: "", role: "member" } as const;
      });
      const group = {
        chatId: `120363${grouped.length}`,
        name: request.name,
        size: members.length + 1,
        members: [OWN, ...members],
      };
      const people = request.people.map((person) => ({ person, id: idOf(person), result: "done" }) as const);
      return { group, people };
    },
    async read(chatId, signal) {
      if (messenger.groups.read !== undefined) return messenger.groups.read(chatId, signal);
      return { chatId, name: "Team", size: 1, members: [OWN] };
    },
    async change(chatId, change, signal) {
      const picture = change.kind === "picture" && change.picture !== null ? change.picture : null;
      const bytes = picture === null ? null : (await buffer(picture.open())).toString("latin1");
      grouped.push({ chatId, change, picture: bytes });
      if (messenger.groups.change !== undefined) return messenger.groups.change(chatId, change, signal);
      return "people" in change ? change.people.map((person) => ({ person, result: "done" })) : [];
    },
  };
}

/** Lets a node own the channels and send, as one with the role `sessions` does. Resolves with what ends it. */
export async function startSending(
  { core }: TestNode,
  options: {
    readonly pacing?: boolean;
    readonly allowNetworks?: readonly string[];
    /** Default: that of the service. */
    readonly graceMs?: number;
  } = {},
): Promise<() => Promise<void>> {
  const roles = ["sessions"];
  const lease = await takeLease({
    db: core.db,
    log: quietLog,
    name: "test",
    roles,
    leaseMs: 20_000,
    sealingKey: core.seal.fingerprint,
    schemaVersion: 2 ** 31 - 1,
    onLost: () => Promise.resolve(),
    onRegained: () => undefined,
    onTooOld: () => undefined,
    onOthers: () => undefined,
  });
  const dispatcher = createGuardedDispatcher({ allowNetworks: options.allowNetworks ?? [] });
  const sessions = new Sessions({
    core,
    lease: () => lease,
    onReady: (channelId) => sender.channelReady(channelId),
    settle: async (channelId) => {
      await Promise.all([sender.settleChannel(channelId), groups.settle(channelId)]);
    },
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
  });
  const sender = new Sender({
    core,
    lease: () => lease,
    sessions,
    pacing: options.pacing ?? true,
    dispatcher,
    temporaryDirectory: tmpdir(),
    // The machine may be busy with other tests.
    media: new MediaProcesses({ timeoutMs: 170_000 }),
  });
  const groups = new GroupCalls({
    core,
    lease: () => lease,
    pacing: options.pacing ?? true,
    dispatcher,
    temporaryDirectory: tmpdir(),
    onFirstContacts: (channelId, ids) => sender.countFirstContacts(channelId, ids),
  });
  const requests = new SessionRequests({ core, lease: () => lease, sessions, groups });
  const phones = new PhoneChecker({
    core,
    sessions,
    lease: () => lease,
    isPaced: options.pacing ?? true,
  });
  for (const each of [sessions, sender, requests, phones]) each.start();
  return async () => {
    await Promise.all([sender.stop(), groups.stop(), phones.stop()]);
    await Promise.all([requests.stop(), sessions.stop()]);
    await lease.release();
    await dispatcher.destroy();
  };
}
