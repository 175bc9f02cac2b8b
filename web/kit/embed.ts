/** Version of the messages between a page and the page around it. */
const VERSION = 1;

/** Whether the page stands in a frame of another page. */
export const isFramed = window.parent !== window;

/** Origin of the page around this one; null where the browser does not say. */
function parentOrigin(): string | null {
  const [ancestor] = location.ancestorOrigins ?? [];
  if (ancestor !== undefined) return ancestor;
  return URL.canParse(document.referrer) ? new URL(document.referrer).origin : null;
}

/**
 * Tells the page around this one, and nobody else: `{source: "trunkline", version: 1, type, …}`. Without a frame, or where
 * its origin is not known, nothing happens.
 */
export function tellParent(type: string, data: Readonly<Record<string, unknown>> = {}): void {
  const origin = parentOrigin();
  if (isFramed && origin !== null)
    window.parent.postMessage({ source: "trunkline", version: VERSION, type, ...data }, origin);
}

/** Calls back with each new ticket that the page around this one sends: `{type: "trunkline.ticket", ticket}`. */
export function onTicket(take: (ticket: string) => void): () => void {
  const listen = (event: MessageEvent<unknown>): void => {
    if (event.source !== window.parent || event.origin !== parentOrigin()) return;
    const { type, ticket } = (event.data ?? {}) as { type?: unknown; ticket?: unknown };
    if (type === "trunkline.ticket" && typeof ticket === "string") take(ticket);
  };
  window.addEventListener("message", listen);
  return () => window.removeEventListener("message", listen);
}
