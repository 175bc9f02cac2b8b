import type { proto as protobuf } from "baileys";
import type { VaultEntry } from "../../../core/transport/connector.ts";
import { text } from "../../../platform/foreign/foreign-json.ts";
import { proto } from "../library.ts";

/** The phone gives at most this many messages at once. */
export const REQUEST_SIZE = 50;
const MAX_REQUESTS_A_DAY = 200;
/** With the growing pauses, the phone has then been silent for about five days. */
const MAX_UNANSWERED = 14;
/** For a chat of which the phone answers, with messages that are known. */
const MAX_TRIES = 5;
const DAY_MS = 24 * 3_600_000;

/** Chats of which the phone has earlier messages than it pushed, by JID. */
export const EARLIER = "history earlier";

const {
  COMPLETE_BUT_MORE_MESSAGES_REMAIN_ON_PRIMARY: MORE,
  COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY: NO_MORE,
} = proto.Conversation.EndOfHistoryTransferType;
const { COMPLETE_ON_DEMAND_SYNC_BUT_MORE_MSG_REMAIN_ON_PRIMARY: MORE_AFTER_REQUEST } =
  proto.Conversation.EndOfHistoryTransferType;
/** COMPLETE_ON_DEMAND_SYNC_WITH_MORE_MSG_ON_PRIMARY_BUT_NO_ACCESS, which the library does not know. */
const NO_ACCESS = 3;

/** A message of a chat. */
export interface Oldest {
  readonly id: string;
  readonly fromMe: boolean;
  readonly atMs: number;
}

/** The oldest known message of a chat that has earlier ones on the phone. */
export interface EarlierPlace extends Oldest {
  /** Requests since the phone last answered one of this chat. */
  readonly tries: number;
}

/** What a part of the history tells of a chat. */
export interface Seen {
  readonly jid: string;
  readonly oldest: Oldest | null;
  /** `EndOfHistoryTransferType`; null: not told. */
  readonly end: number | null;
}

/** The latest request. */
export interface Asked {
  readonly jid: string;
  readonly atMs: number;
  /** How many requests were made on the day of this one. */
  readonly count: number;
  /** How many in a row have no answer, with this one. */
  readonly unanswered: number;
}

export function seenIn({ id, messages, endOfHistoryTransferType }: protobuf.IConversation): Seen[] {
  const jid = text(id);
  if (jid === undefined || !/@(s\.whatsapp\.net|lid|g\.us)$/.test(jid)) return [];
  const [oldest] = (messages ?? [])
    .flatMap(({ message }) => {
      const key = text(message?.key?.id);
      const atMs = Number(message?.messageTimestamp ?? 0) * 1_000;
      return key === undefined || atMs === 0
        ? []
        : [{ id: key, fromMe: message?.key?.fromMe === true, atMs }];
    })
    // The newest are first, also among those of a second.
    .reverse()
    .toSorted((a, b) => a.atMs - b.atMs);
  return [{ jid, oldest: oldest ?? null, end: endOfHistoryTransferType ?? null }];
}

/** From which message on the phone is asked for earlier ones, after a part; null: it is not asked. */
export function placeAfter(
  known: EarlierPlace | null,
  { oldest, end }: Omit<Seen, "jid">,
  since: Date,
): EarlierPlace | null {
  if (end === NO_MORE || end === NO_ACCESS) return null;
  if (known === null && end !== MORE && end !== MORE_AFTER_REQUEST) return null;
  if (oldest === null || !isBefore(oldest, known)) return known;
  return oldest.atMs < since.getTime() ? null : { ...oldest, tries: 0 };
}

/**
 * The places that an answer changes. It ends the chat that was asked about if it has no messages: some phones say that
 * they have more and never give it. One with known messages only answers an earlier request again, since each request
 * has its own answer, also repeated ones; a phone that gives nothing else is asked `MAX_TRIES` times. An answer may
 * name the chat by its other JID.
 */
export function placesAfterAnswer(
  places: ReadonlyMap<string, EarlierPlace>,
  asked: Asked,
  seen: readonly Seen[],
  since: Date,
): [jid: string, place: EarlierPlace | null][] {
  const isAwaited = asked.unanswered > 0;
  const ofKnown = seen.filter(({ jid }) => places.has(jid));
  const asks = places.get(asked.jid);
  if (ofKnown.length === 0) {
    if (!isAwaited || asks === undefined) return [];
    const renamed = seen.map((each): [string, EarlierPlace | null] => [each.jid, after(asks, each, true)]);
    return [[asked.jid, null], ...renamed];
  }
  return ofKnown.map((each) => [
    each.jid,
    after(places.get(each.jid) ?? null, each, isAwaited && each.jid === asked.jid),
  ]);

  function after(known: EarlierPlace | null, each: Seen, mayEnd: boolean): EarlierPlace | null {
    const next = placeAfter(known, each, since);
    if (!mayEnd || next === null || next !== known) return next;
    return each.oldest === null || next.tries >= MAX_TRIES ? null : next;
  }
}

/** Chats' messages are in the order of the phone, so one of the same second is earlier unless it is the same. */
function isBefore(oldest: Oldest, known: EarlierPlace | null): boolean {
  return known === null || (oldest.id !== known.id && oldest.atMs <= known.atMs);
}

export type NextRequest =
  | { readonly jid: string; readonly place: EarlierPlace }
  | { readonly waitMs: number };

/** What the phone is asked next; null: nothing any more. `pauses`: after an answer, and the first without one. */
export function nextRequest(
  places: ReadonlyMap<string, EarlierPlace>,
  asked: Asked | null,
  nowMs: number,
  pauses: { readonly historyAskMs: number; readonly historyAnswerMs: number },
): NextRequest | null {
  const [first] = [...places].toSorted(([, a], [, b]) => a.tries - b.tries || b.atMs - a.atMs);
  if (first === undefined) return null;
  const [jid, place] = first;
  if (asked === null) return { jid, place };
  const { atMs, unanswered, count } = asked;
  const pause =
    unanswered === 0 ? pauses.historyAskMs : Math.min(DAY_MS, pauses.historyAnswerMs * 2 ** (unanswered - 1));
  const tomorrow = count >= MAX_REQUESTS_A_DAY ? (dayOf(atMs) + 1) * DAY_MS : 0;
  const waitMs = Math.max(atMs + pause, tomorrow) - nowMs;
  // A clock that was set back does not stop the import.
  if (waitMs > 0) return { waitMs: Math.min(waitMs, DAY_MS) };
  return unanswered >= MAX_UNANSWERED ? null : { jid, place };
}

export function askedNow(jid: string, before: Asked | null, nowMs: number): Asked {
  const isSameDay = before !== null && dayOf(before.atMs) === dayOf(nowMs);
  const unanswered = (before?.unanswered ?? 0) + 1;
  return { jid, atMs: nowMs, count: isSameDay ? before.count + 1 : 1, unanswered };
}

export function placesIn(stored: ReadonlyMap<string, Uint8Array>): Map<string, EarlierPlace> {
  return new Map([...stored].map(([jid, bytes]) => [jid, JSON.parse(Buffer.from(bytes).toString())]));
}

export function placeEntry(jid: string, place: EarlierPlace | null): VaultEntry {
  return { family: EARLIER, id: jid, value: place === null ? null : Buffer.from(JSON.stringify(place)) };
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}
