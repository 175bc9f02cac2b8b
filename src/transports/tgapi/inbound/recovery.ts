import { Long, type tl } from "@mtcute/core";
import { ask, type Line } from "../line.ts";
import { chatIdOfPeer, type PeerBook } from "../people/peer-book.ts";
import type { Receiver } from "./receiver.ts";

const DIALOGS = 100;
const PAGE = 100;
/** The maximum number of messages fetched per chat. */
const MOST = 1_000;

/** The newest message that was received, or 0; then `since`, in seconds since 1970, says where to begin. */
export interface LastKnown {
  readonly newestId: number;
  readonly since: number;
}

type Asking = Pick<Line, "client" | "callMs" | "signal">;

/**
 * Fetches the messages after a given one from the chats themselves, if Telegram no longer has the updates
 * (`updates.differenceTooLong`): a thousand messages of each of the hundred newest chats. Edits and deletions are
 * lost. Supergroups have separate updates. Returns the number of messages found.
 */
export async function recoverHistory(
  line: Asking,
  { receiver, book }: { readonly receiver: Receiver; readonly book: PeerBook },
  known: LastKnown,
): Promise<number> {
  const { signal } = line;
  const answer = await ask(
    line,
    {
      _: "messages.getDialogs",
      offsetDate: 0,
      offsetId: 0,
      offsetPeer: { _: "inputPeerEmpty" },
      limit: DIALOGS,
      hash: Long.ZERO,
    },
    signal,
  );
  const dialogs = "dialogs" in answer ? answer.dialogs : [];
  const tops = new Map(("messages" in answer ? answer.messages : []).map((each) => [each.id, each]));
  const missed: tl.TypeMessage[] = [];
  for (const dialog of dialogs) {
    if (dialog._ !== "dialog" || dialog.peer._ === "peerChannel") continue;
    const top = tops.get(dialog.topMessage);
    if (top === undefined || !isMissed(top, known)) continue;
    const peer = await book.inputPeer(chatIdOfPeer(dialog.peer));
    if (peer !== null) missed.push(...(await historyAfter(line, peer, known)));
  }
  for (const message of missed.toSorted((a, b) => a.id - b.id))
    receiver.take({ _: "updateNewMessage", message, pts: 0, ptsCount: 0 });
  return missed.length;
}

/** Fetches the messages of a supergroup after a given one. Returns their number. */
export async function recoverSupergroup(
  line: Asking,
  { receiver, book }: { readonly receiver: Receiver; readonly book: PeerBook },
  channelId: number,
  known: LastKnown,
): Promise<number> {
  const peer = await book.inputPeer(chatIdOfPeer({ _: "peerChannel", channelId }));
  if (peer === null) return 0;
  const missed = await historyAfter(line, peer, known);
  for (const message of missed.toSorted((a, b) => a.id - b.id))
    receiver.take({ _: "updateNewChannelMessage", message, pts: 0, ptsCount: 0 });
  return missed.length;
}

function isMissed(message: tl.TypeMessage, { newestId, since }: LastKnown): boolean {
  if (message._ === "messageEmpty") return false;
  return newestId > 0 ? message.id > newestId : message.date >= since;
}

async function historyAfter(
  line: Asking,
  peer: tl.TypeInputPeer,
  known: LastKnown,
): Promise<tl.TypeMessage[]> {
  const found: tl.TypeMessage[] = [];
  for (let offsetId = 0; found.length < MOST; ) {
    const answer = await ask(
      line,
      {
        _: "messages.getHistory",
        peer,
        offsetId,
        offsetDate: 0,
        addOffset: 0,
        limit: PAGE,
        maxId: 0,
        minId: known.newestId,
        hash: Long.ZERO,
      },
      line.signal,
    );
    const page = "messages" in answer ? answer.messages : [];
    found.push(...page.filter((message) => isMissed(message, known)));
    const oldest = page.at(-1);
    if (page.length < PAGE || oldest === undefined || !isMissed(oldest, known)) break;
    offsetId = oldest.id;
  }
  return found;
}
