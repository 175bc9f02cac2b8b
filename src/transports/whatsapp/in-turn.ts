import { setTimeout as sleep } from "node:timers/promises";
import type { BinaryNode, WASocket } from "baileys";
import { isGroupNotice } from "./group-notice.ts";

const STANZAS = ["CB:message", "CB:call", "CB:notification"];
/** A stanza that is being read ends sooner; the library's questions to a line that is lost end much later. */
const LAST_LIMIT_MS = 500;

/** A listener of the library; its promise resolves when it is through with the stanza and has told of it. */
type Handler = (node: BinaryNode) => Promise<void>;

export interface TurnOptions {
  /** Nothing is handled before it resolves, and nothing at all when it rejects. */
  readonly first: Promise<unknown>;
  /** Awaited before the library gets a stanza, which it does not when this rejects; and when it is through with it. */
  before(node: BinaryNode): void | Promise<void>;
  after(node: BinaryNode): void;
}

/**
 * Has the library handle messages, calls and notices of groups one after the other, in the order in which they arrived.
 * By itself it looks up the addresses of the author before it queues a message, so that the second message of a new chat
 * may overtake the first (`handleMessage` of baileys' messages-recv); it queues what waited at the server apart from what
 * is new, which overtakes all of it (`offlineNodeProcessor`); and it merges what it tells while it holds its events back.
 * Call it before anybody else listens to the socket. Answers a function to call when the line is lost; it resolves when
 * nothing is being read any more, soon in any case. What was not begun then is not confirmed either, so WhatsApp repeats
 * it.
 */
export function handleInTurn({ ws }: WASocket, options: TurnOptions): () => Promise<void> {
  const { first, before, after } = options;
  let last: Promise<unknown> = first;
  first.catch(() => undefined);
  for (const name of STANZAS) {
    const handlers = ws.listeners(name) as Handler[];
    ws.removeAllListeners(name);
    const handle = async (node: BinaryNode): Promise<void> => {
      if (!ws.isOpen) return;
      await before(node);
      for (const handler of handlers) await handler(node);
      after(node);
    };
    ws.on(name, (node: BinaryNode) => {
      if (!isOfChat(node)) return void handlers.map((handler) => handler(node));
      // What fails was not confirmed, or is in the journal; it does not keep back what follows.
      last = last.then(() => handle(asNew(node)).catch(() => undefined));
      last.catch(() => undefined);
    });
  }
  return async () => {
    await Promise.race([last.catch(() => undefined), sleep(LAST_LIMIT_MS, undefined, { ref: false })]);
  };
}

/** What may be told of a chat; other notifications may be what reading a message waits for. */
function isOfChat(node: BinaryNode): boolean {
  return node.tag !== "notification" || isGroupNotice(node);
}

/** Without the mark of what waited at the server: its handler would return before it has begun. */
function asNew({ attrs, ...rest }: BinaryNode): BinaryNode {
  const { offline: _, ...others } = attrs;
  return { ...rest, attrs: others };
}
