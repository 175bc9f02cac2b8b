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

/** Calls back with each new ticket sent by the embedding page: `{type: "trunkline.ticket", ticket}`. */
export function onTicket(take: (ticket: string) => void): () => void {
  const listen = (event: MessageEvent<unknown>): void => {
    if (event.source !== window.parent || event.origin !== parentOrigin()) return;
    const { type, ticket } = (event.data ?? {}) as { type?: unknown; ticket?: unknown };
    if (type === "trunkline.ticket" && typeof ticket === "string") take(ticket);
  };
  window.addEventListener("message", listen);
  return () => window.removeEventListener("message", listen);
}
