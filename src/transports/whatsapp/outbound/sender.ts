import { setTimeout as sleep } from "node:timers/promises";
import type { AnyMessageContent, GroupMetadata, WAMessage, WAMessageKey, WASocket } from "baileys";
import type {
  ChannelLink,
  FoundPerson,
  MessageChange,
  OutboundMessage,
  ReactionTarget,
  Recipient,
  SentMessage,
} from "../../../core/transport/connector.ts";
import type { ChatType } from "../../../core/transport/definition.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import type { MessageRef } from "../../../core/transport/events.ts";
import { beforeSend } from "../../kit/failures.ts";
import { ackError, type EndOfRestriction, nobodyThere, restricted, toTransportError } from "../errors.ts";
import type { RecentMessages } from "../inbound/recent.ts";
import { toContent } from "../outbound.ts";
import { type Address, addressOf, jidOf } from "../people/addresses.ts";
import { chatKeyOf, type People } from "../people/people.ts";
import type { Ack, Acks } from "./acks.ts";
import { messageIdOf } from "./message-id.ts";

/** An open connection for sending. `signal` aborts when it ends. */
export interface Line {
  readonly socket: WASocket;
  readonly acks: Acks;
  readonly signal: AbortSignal;
  readonly ackMs: number;
  readonly people: People;
  readonly recent: RecentMessages;
  readonly link: Pick<ChannelLink, "emit" | "vault" | "log">;
  forgetDevices(jid: string): void;
  /** The members of a group; looked up rarely, because WhatsApp limits lookups. */
  lookUpGroup(jid: string): Promise<GroupMetadata>;
}

/** `<ack error="463">`: the account may not write to strangers. */
const RESTRICTED = "463";
/** Used if WhatsApp does not say when a restriction ends: the duration for a first offence. */
const USUAL_RESTRICTION_MS = 24 * 3_600_000;
const RESTRICTION_QUERY_MS = 5_000;
/** `<ack error="479">`: our list of the contact's devices is outdated. */
const STALE_DEVICES = "479";

/** Resolves when WhatsApp's server has accepted the message. Throws `TransportError`. */
export async function sendMessage(
  line: Line,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SentMessage> {
  const target = await findTarget(line, message.to);
  const id = messageIdOf("send", message.id);
  line.recent.nameSent(id, message.id);
  const quoted = message.quoted === undefined ? undefined : await findQuoted(line, target, message.quoted);
  const expiration = await expirationOf(line, target, message.to);
  const at = await deliver(
    line,
    { jid: target.jid, id, content: () => toContent(message.content), quoted, expiration },
    signal,
  );
  if (target.person !== null) await line.people.learn(target.person, { isKnown: true });
  return { chatId: target.chatId, externalId: id, sentAt: at };
}

/** The id of an edit is derived from its content, so that a retry is the same edit. */
export async function editMessage(
  line: Line,
  ref: MessageRef,
  change: MessageChange,
  signal: AbortSignal,
): Promise<void> {
  if (!("text" in change)) throw new TransportError("GENERAL_ERROR", "WhatsApp cannot replace a file");
  const { jid } = await findTarget(line, ref);
  const edit: WAMessageKey = { remoteJid: jid, fromMe: true, id: ref.externalId };
  const id = messageIdOf("edit", ref.externalId, change.text);
  await deliver(line, { jid, id, content: () => ({ text: change.text, edit }) }, signal);
}

export async function removeMessage(line: Line, ref: MessageRef, signal: AbortSignal): Promise<void> {
  const { jid } = await findTarget(line, ref);
  const key: WAMessageKey = { remoteJid: jid, fromMe: true, id: ref.externalId };
  const id = messageIdOf("remove", ref.externalId);
  await deliver(line, { jid, id, content: () => ({ delete: key }) }, signal);
}

/** An empty text removes the reaction. */
export async function reactToMessage(
  line: Line,
  target: ReactionTarget,
  emoji: string | null,
  signal: AbortSignal,
): Promise<void> {
  const { jid } = await findTarget(line, target);
  const { externalId, isOwn, senderId = "" } = target;
  const known = await (isOwn ? line.recent.findOwn(externalId) : line.recent.findTheirs(externalId));
  const author = isOwn ? null : addressOf({ chatType: "whatsapp", chatId: senderId });
  const participant = author === null ? null : jidOf(author);
  const key: WAMessageKey = known?.key ?? {
    remoteJid: jid,
    fromMe: isOwn,
    id: externalId,
    ...(participant === null ? {} : { participant }),
  };
  const id = messageIdOf("react", target.changeId, externalId);
  await deliver(line, { jid, id, content: () => ({ react: { text: emoji ?? "", key } }) }, signal);
}

interface Delivery {
  readonly jid: string;
  readonly id: string;
  /** Created for each attempt, because a file can be streamed only once. */
  content(): AnyMessageContent;
  readonly quoted?: WAMessage | undefined;
  /** After how many seconds the message disappears; 0: it stays. */
  readonly expiration?: number;
}

/** Sends and waits for the server's response; retries once if our list of devices is outdated. */
async function deliver(line: Line, delivery: Delivery, signal: AbortSignal): Promise<Date> {
  const first = await attempt(line, delivery, signal);
  if (first.kind === "taken") return first.at;
  if (first.error === RESTRICTED) throw restricted(await endOfRestriction(line));
  if (first.error !== STALE_DEVICES) throw ackError(first.error);
  line.forgetDevices(delivery.jid);
  const second = await attempt(line, delivery, signal);
  if (second.kind === "taken") return second.at;
  throw ackError(second.error);
}

/** Asks WhatsApp how long the restriction lasts. */
async function endOfRestriction({ socket }: Line): Promise<EndOfRestriction> {
  const usual = { until: new Date(Date.now() + USUAL_RESTRICTION_MS), basis: "estimate" } as const;
  const asked = socket.fetchAccountReachoutTimelock().then(
    ({ timeEnforcementEnds: until }) => (until === undefined ? usual : { until, basis: "stated" as const }),
    () => usual,
  );
  return Promise.race([asked, sleep(RESTRICTION_QUERY_MS, usual, { ref: false })]);
}

async function attempt(line: Line, delivery: Delivery, signal: AbortSignal): Promise<Ack> {
  const { socket, acks, recent, link } = line;
  const limit = AbortSignal.any([signal, line.signal, AbortSignal.timeout(line.ackMs)]);
  const waiting = acks.wait(delivery.id, limit);
  let isSent = false;
  try {
    await orGiveUp(mustHaveDevices(socket, delivery.jid), limit);
    const { id: messageId, quoted, expiration = 0 } = delivery;
    const options = {
      messageId,
      ...(quoted === undefined ? {} : { quoted }),
      ...(expiration > 0 && { ephemeralExpiration: expiration }),
    };
    const sending = socket.sendMessage(delivery.jid, delivery.content(), options).then((message) => {
      isSent = true;
      return message;
    });
    const message = await orGiveUp(sending, limit);
    const [ack] = await Promise.all([
      waiting.answer,
      // The message may be requested again or quoted, so it counts as sent only once it is stored.
      message?.message == null ? undefined : link.vault.write([recent.entry(message)]),
    ]);
    if (ack === null) throw new Error("WhatsApp did not confirm the message");
    return ack;
  } catch (error) {
    throw toTransportError(error, { sent: isSent || limit.aborted });
  } finally {
    waiting.cancel();
  }
}

/**
 * A message is encrypted for each device. If WhatsApp does not return the contact's devices, the library would send
 * only to the account's own phone, and the server would accept that. Throws `TransportError` in this case.
 */
async function mustHaveDevices({ getUSyncDevices, user }: WASocket, jid: string): Promise<void> {
  if (jid.endsWith("@g.us")) return;
  const own = [user?.id, user?.lid].map(userPart);
  if (own.includes(userPart(jid))) return;
  // The same lookup that the library makes; it caches the response, so it does not look them up again for this
  // message.
  const us = jid.endsWith("@lid") && user?.lid != null ? `${own[1]}@lid` : `${own[0]}@s.whatsapp.net`;
  const devices = await getUSyncDevices([us, jid], true, false);
  if (devices.some((device) => !own.includes(device.user))) return;
  const what = "WhatsApp did not return the contact's devices";
  throw new TransportError("UNKNOWN_ERROR", what, { retry: "later" });
}

const userPart = (jid: string | undefined): string | undefined => jid?.split(/[:@]/)[0];

/** The library may hang on a dead connection. */
export function orGiveUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error("The connection was lost during the send"));
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

interface Target {
  readonly jid: string;
  readonly chatId: string;
  /** The key of the person in `People`; null for groups. */
  readonly person: string | null;
}

/** Looks up the number of a chat. Throws `TransportError`. */
export async function findTarget(
  line: Line,
  to: { readonly chatType: ChatType; readonly chatId?: string; readonly phone?: string },
): Promise<Target> {
  const chatId = to.chatId ?? to.phone ?? "";
  const address = addressOf({ chatType: to.chatType, chatId });
  if (address === null) throw new TransportError("BAD_CONTACT", "This is not a WhatsApp address");
  if (address.kind !== "phone") {
    const jid = mustHaveJid(address);
    if (address.kind === "group") await lookUpGroup(line, jid);
    return { jid, chatId, person: personOf(address) };
  }
  const jid = await findAccount(line, address.digits);
  const digits = jid.split("@")[0] ?? address.digits;
  if (digits !== chatId) await tellMoved(line, chatId, digits);
  return { jid, chatId: digits, person: digits };
}

async function lookUpGroup(line: Line, jid: string): Promise<void> {
  try {
    await line.lookUpGroup(jid);
  } catch (error) {
    throw toTransportError(error, { sent: false });
  }
}

function personOf(address: Address): string | null {
  return address.kind === "hidden" ? `${address.id}@lid` : null;
}

function mustHaveJid(address: Address): string {
  const jid = jidOf(address);
  if (jid === null) throw new TransportError("BAD_CONTACT", "This is not a WhatsApp address");
  return jid;
}

/**
 * The account of a number. A message to a number without an account is silently dropped, and many such messages lead
 * to restrictions, so the number is looked up first, once.
 */
async function findAccount({ socket, people, link }: Line, digits: string): Promise<string> {
  const { jid, isKnown } = await people.find(digits);
  if (jid !== undefined) return jid;
  if (isKnown === true) return `${digits}@s.whatsapp.net`;
  if (people.isAbsent(digits)) throw nobodyThere();
  const found = await socket.onWhatsApp(digits).catch((error: unknown) => {
    throw toTransportError(error, { sent: false });
  });
  if (found === undefined)
    throw new TransportError("UNKNOWN_ERROR", "WhatsApp did not respond", { retry: "later" });
  const account = found.find(({ exists }) => exists);
  if (account === undefined) {
    people.learnAbsent(digits);
    throw nobodyThere();
  }
  await people
    .learn(digits, { jid: account.jid })
    .catch((error: unknown) =>
      link.log("debug", "WhatsApp: a contact could not be stored", { error: String(error) }),
    );
  return account.jid;
}

/** Whether there is an account with this number; a number is looked up once. Throws `TransportError`. */
export async function findPerson(line: Line, phone: string): Promise<FoundPerson | null> {
  const jid = await findAccount(line, phone).catch((error: unknown) => {
    if (error instanceof TransportError && error.code === "BAD_CONTACT" && error.data === undefined)
      return null;
    throw error;
  });
  return jid === null ? null : { chatId: jid.split("@")[0] ?? phone };
}

async function tellMoved({ link }: Line, chatId: string, newChatId: string): Promise<void> {
  await link
    .emit({ kind: "moved", chatType: "whatsapp", chatId, newChatId })
    .catch((error: unknown) =>
      link.log("debug", "WhatsApp: a chat's new id could not be stored", { error: String(error) }),
    );
}

/** WhatsApp's clients let their messages disappear like the others of the chat. */
async function expirationOf(
  { people }: Line,
  { jid, chatId, person }: Target,
  { chatType }: Pick<Recipient, "chatType">,
): Promise<number> {
  const known = await beforeSend(people.find(person ?? chatKeyOf({ chatType, chatId })));
  return known.expiration ?? people.group(jid)?.ephemeralDuration ?? 0;
}

/** The quoted message is included in the reply, because phones show it from there; empty if it is unknown. */
async function findQuoted({ recent }: Line, { jid }: Target, { externalId }: MessageRef): Promise<WAMessage> {
  const known = await recent.find(externalId);
  if (known?.message != null) return known;
  return { key: { remoteJid: jid, fromMe: false, id: externalId }, message: { conversation: "" } };
}
