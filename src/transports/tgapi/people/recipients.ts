import { Long, type tl } from "@mtcute/core";
import type { Recipient } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import { noSuchPerson, refusalIn } from "../errors.ts";
import { ask, type Line } from "../line.ts";
import { chatIdOfPeer, type Found } from "./peer-book.ts";

/**
 * How long results of lookups are kept, because Telegram limits lookups strictly. Usernames may change hands; numbers
 * rarely do.
 */
const USERNAME_MS = 24 * 3_600_000;
const NUMBER_MS = 30 * 24 * 3_600_000;
const NOBODY_MS = 24 * 3_600_000;
const DIALOGS = 100;

export interface Target {
  readonly chatId: string;
  readonly peer: tl.TypeInputPeer;
}

/** Resolves the recipient. Throws `TransportError`, and what the library throws. */
export async function findTarget(line: Line, to: Recipient, signal: AbortSignal): Promise<Target> {
  if (to.chatId !== undefined) return byId(line, to.chatId, signal);
  if (to.username !== undefined) return byName(line, `@${to.username.replace(/^@/, "")}`, signal);
  if (to.phone !== undefined) return byName(line, `+${to.phone.replace(/\D/g, "")}`, signal);
  throw noSuchPerson();
}

async function byId(line: Line, chatId: string, signal: AbortSignal): Promise<Target> {
  const known = await line.book.inputPeer(chatId);
  if (known !== null) return { chatId, peer: known };
  await lookThroughDialogs(line, chatId, signal);
  const peer = await line.book.inputPeer(chatId);
  if (peer === null) throw noSuchPerson("Telegram has never shown this person to the account");
  return { chatId, peer };
}

/** When the chats were last searched for a peer without success, by client and chat id. */
const looked = new WeakMap<object, Map<string, number>>();
const LOOK_AGAIN_MS = 60_000;

/**
 * A new session knows no peers, and updates may be late: the list of recent chats contains the people who wrote
 * before.
 */
async function lookThroughDialogs(line: Line, chatId: string, signal: AbortSignal): Promise<void> {
  const times = looked.get(line.client) ?? new Map<string, number>();
  looked.set(line.client, times);
  const now = performance.now();
  if (now - (times.get(chatId) ?? Number.NEGATIVE_INFINITY) < LOOK_AGAIN_MS) return;
  for (const [id, at] of times) if (now - at > LOOK_AGAIN_MS) times.delete(id);
  times.set(chatId, now);
  const request = {
    _: "messages.getDialogs" as const,
    offsetDate: 0,
    offsetId: 0,
    offsetPeer: { _: "inputPeerEmpty" as const },
    limit: DIALOGS,
    hash: Long.ZERO,
  };
  await ask(line, request, signal).catch((error: unknown) => {
    if (refusalIn(error) === null) times.delete(chatId);
    line.link.log("debug", "Telegram: the list of chats could not be fetched", { error: String(error) });
  });
}

/** Whether there is an account with this number, as far as its owner lets it be found. */
export async function findPerson(
  line: Line,
  phone: string,
  signal: AbortSignal,
): Promise<{ readonly chatId: string } | null> {
  const chatId = await idOfName(line, `+${phone}`, signal);
  return chatId === null ? null : { chatId };
}

async function byName(line: Line, name: string, signal: AbortSignal): Promise<Target> {
  const chatId = await idOfName(line, name, signal);
  if (chatId === null) throw noSuchPerson();
  return byId(line, chatId, signal);
}

/** Null: there is no such person. */
async function idOfName(line: Line, name: string, signal: AbortSignal): Promise<string | null> {
  const known = freshOf(await line.book.found(name), name);
  if (known?.chatId === null) return null;
  if (known !== null && (await line.book.inputPeer(known.chatId)) !== null) return known.chatId;
  const chatId = name.startsWith("@")
    ? await resolve(line, { _: "contacts.resolveUsername", username: name.slice(1) }, signal)
    : await resolveNumber(line, name, signal);
  await line.book.learnName(name, chatId);
  return chatId;
}

function freshOf(found: Found | null, name: string): Found | null {
  if (found === null) return null;
  const limit = found.chatId === null ? NOBODY_MS : name.startsWith("@") ? USERNAME_MS : NUMBER_MS;
  return Date.now() - found.at < limit ? found : null;
}

const NOBODY = ["USERNAME_NOT_OCCUPIED", "USERNAME_INVALID", "PHONE_NOT_OCCUPIED", "PHONE_NUMBER_INVALID"];

/** Null: no such person. */
async function resolve(
  line: Line,
  request: tl.contacts.RawResolveUsernameRequest | tl.contacts.RawResolvePhoneRequest,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const { peer } = await ask(line, request, signal);
    return chatIdOfPeer(peer);
  } catch (error) {
    if (NOBODY.includes(refusalIn(error)?.text ?? "")) return null;
    throw error;
  }
}

/**
 * Resolves a number. A person who allows only contacts to find them is added as a contact for a moment. Existing
 * contacts are found before that, so that no name in the owner's address book changes.
 */
async function resolveNumber(line: Line, phone: string, signal: AbortSignal): Promise<string | null> {
  const found = await resolve(line, { _: "contacts.resolvePhone", phone: phone.slice(1) }, signal);
  return found ?? importNumber(line, phone, signal);
}

async function importNumber(line: Line, phone: string, signal: AbortSignal): Promise<string | null> {
  const contact = {
    _: "inputPhoneContact" as const,
    clientId: Long.ONE,
    phone,
    firstName: phone,
    lastName: "",
  };
  const { imported, users, retryContacts } = await ask(
    line,
    { _: "contacts.importContacts", contacts: [contact] },
    signal,
  );
  if (retryContacts.length > 0)
    throw new TransportError("TOO_MANY_EXT_REQS", "Telegram currently accepts no further numbers");
  const userId = imported[0]?.userId;
  if (userId === undefined) return null;
  const user = users.find((each) => each.id === userId);
  if (user?._ === "user" && user.accessHash !== undefined) await forget(line, user.id, user.accessHash);
  return String(userId);
}

/** A failure leaves an unneeded contact, but does not fail the send. */
async function forget(line: Line, userId: number, accessHash: tl.Long): Promise<void> {
  const request = {
    _: "contacts.deleteContacts" as const,
    id: [{ _: "inputUser" as const, userId, accessHash }],
  };
  await ask(line, request, line.signal).catch((error: unknown) =>
    line.link.log("warn", "Telegram: a temporary contact could not be deleted", {
      error: String(error),
    }),
  );
}
