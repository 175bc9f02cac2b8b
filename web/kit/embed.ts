/** Version of the messages between a page and its embedding page. */
const VERSION = 1;

/** Whether the page is in a frame. */
export const isFramed = window.parent !== window;

/** Origin of the embedding page; null if the browser does not report it. */
function parentOrigin(): string | null {
  const [ancestor] = location.ancestorOrigins ?? [];
  if (ancestor !== undefined) return ancestor;
  return URL.canParse(document.referrer) ? new URL(document.referrer).origin : null;
}

/**
 * Posts to the embedding page only: `{source: "trunkline", version: 1, type, …}`. Without a frame, or if its origin
 * is unknown, nothing happens.
 */
export function tellParent(type: string, data: Readonly<Record<string, unknown>> = {}): void {
  const origin = parentOrigin();
  if (isFramed && origin !== null)
    window.parent.postMessage({ source: "trunkline", version: VERSION, type, ...data }, origin);
}

type Command = Readonly<Record<string, unknown>>;

/** Calls back with each message of this type that the embedding page sends: `{type: "trunkline.…", …}`. */
export function onCommand(type: string, take: (command: Command) => void): () => void {
  const listen = (event: MessageEvent<unknown>): void => {
    if (event.source !== window.parent || event.origin !== parentOrigin()) return;
    const command = (event.data ?? {}) as Command;
    if (command["type"] === type) take(command);
  };
  window.addEventListener("message", listen);
  return () => window.removeEventListener("message", listen);
}

/** Calls back with each new ticket, and whether the chat that its link names is to be opened. */
export function onTicket(take: (ticket: string, opensChat: boolean) => void): () => void {
  return onCommand("trunkline.ticket", ({ ticket, opensChat }) => {
    if (typeof ticket === "string") take(ticket, opensChat === true);
  });
}
