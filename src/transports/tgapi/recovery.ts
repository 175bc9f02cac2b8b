import { Long, type tl } from "@mtcute/core";
import { ask, type Line } from "./line.ts";
import { chatIdOfPeer, type PeerBook } from "./peer-book.ts";
import type { Receiver } from "./receiver.ts";

const DIALOGS = 100;
const PAGE = 100;
/** The maximum number of messages fetched per chat. */
const MOST = 1_000;

type Asking = Pick<Line, "client" | "callMs" | "signal">;

/**
 * Fetches the messages after a given one from the chats themselves, if Telegram no longer has the updates
 * (`updates.differenceTooLong`): a thousand messages of each of the hundred newest chats. Edits and deletions are
 * lost. Supergroups have separate updates. Returns the number of messages found.
 */
export async function recoverHistory(
  line: Asking,
  { receiver, book }: { readonly receiver: Receiver; readonly book: PeerBook },
  newestId: number,
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
  const missed: tl.TypeMessage[] = [];
  for (const dialog of dialogs) {
    if (dialog._ !== "dialog" || dialog.peer._ === "peerChannel" || dialog.topMessage <= newestId) continue;
    const peer = await book.inputPeer(chatIdOfPeer(dialog.peer));
    if (peer !== null) missed.push(...(await historyAfter(line, peer, newestId)));
  }
  for (const message of missed.toSorted((a, b) => a.id - b.id))
    receiver.take({ _: "updateNewMessage", message, pts: 0, ptsCount: 0 });
  return missed.length;
}

async function historyAfter(line: Asking, peer: tl.TypeInputPeer, minId: number): Promise<tl.TypeMessage[]> {
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
        minId,
        hash: Long.ZERO,
      },
      line.signal,
    );
    const page = "messages" in answer ? answer.messages : [];
    found.push(...page.filter(({ id }) => id > minId));
    const oldest = page.at(-1)?.id;
    if (page.length < PAGE || oldest === undefined) break;
    offsetId = oldest;
  }
  return found;
}
