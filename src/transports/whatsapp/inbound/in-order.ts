import { setTimeout as sleep } from "node:timers/promises";
import type { BinaryNode, WASocket } from "baileys";
import { isGroupNotice } from "./group-notice.ts";

const STANZAS = ["CB:message", "CB:call", "CB:notification"];
/** Longer than it takes to read a stanza, and much shorter than the library's queries on a lost connection. */
const LAST_LIMIT_MS = 500;

/** A listener of the library; its promise resolves when the stanza has been processed and its events emitted. */
type Handler = (node: BinaryNode) => Promise<void>;

export interface TurnOptions {
  /** Nothing is processed before it resolves, and nothing at all if it rejects. */
  readonly first: Promise<unknown>;
  /** Awaited before the library gets a stanza; if it rejects, the library does not get the stanza. */
  before(node: BinaryNode): void | Promise<void>;
  after(node: BinaryNode): void;
}

/**
 * Makes the library process messages, calls and group notifications strictly in the order of arrival. By itself, it
 * looks up the author's addresses before it queues a message, so the second message of a new chat may overtake the
 * first (`handleMessage` in baileys' messages-recv). It queues pending messages separately, so new ones overtake them
 * (`offlineNodeProcessor`). And it merges events while it holds them back.
 *
 * Call before any other listener is added to the socket. Returns a function to call when the connection is lost; it
 * resolves when no stanza is being read, after a short time in any case. Stanzas that were not started by then are
 * not acknowledged, so WhatsApp repeats them.
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
      // A failed stanza was not acknowledged, or is in the journal; it must not block later ones.
      last = last.then(() => handle(asNew(node)).catch(() => undefined));
      last.catch(() => undefined);
    });
  }
  return async () => {
    await Promise.race([last.catch(() => undefined), sleep(LAST_LIMIT_MS, undefined, { ref: false })]);
  };
}

/** Whether the stanza may emit an event of a chat. Reading a message may depend on other notifications. */
function isOfChat(node: BinaryNode): boolean {
  return node.tag !== "notification" || isGroupNotice(node);
}

/** Removes the mark of a pending stanza; with it, the library's handler returns before the stanza is processed. */
function asNew({ attrs, ...rest }: BinaryNode): BinaryNode {
  const { offline: _, ...others } = attrs;
  return { ...rest, attrs: others };
}
