import { type Answer, call } from "./call.ts";

/** A page of chats that was opened by one of our links, as its scripts ask the service. */
export interface OpenInbox {
  readonly token: string;
  readonly opened: Record<string, unknown>;
  get(path: string): Promise<Answer>;
  send(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object): Promise<Answer>;
}

interface Base {
  readonly url: string;
}

/** The ticket of the link that the account's API key gets for this employee. */
export async function inboxTicket(base: Base, apiKey: string, body: object = {}): Promise<string> {
  const asked = { user: { id: "agent-1", name: "Alice" }, scope: "global", ...body };
  const { json, text } = await call(base, "POST", "/v3/iframe", { token: apiKey, body: asked });
  const { url } = json as { url?: string };
  if (url === undefined) throw new Error(`no link: ${text}`);
  return new URL(url).searchParams.get("ticket") ?? "";
}

/** Opens the page and asks as it does, at this node or another. */
export async function openInbox(base: Base, apiKey: string, body: object = {}): Promise<OpenInbox> {
  const ticket = await inboxTicket(base, apiKey, body);
  const opened = await call(base, "POST", "/app/api/chat-sessions", { body: { ticket } });
  if (opened.status !== 200) throw new Error(`the page does not open: ${opened.status} ${opened.text}`);
  const { token } = opened.json as { token: string };
  return {
    token,
    opened: opened.json as Record<string, unknown>,
    get: (path) => call(base, "GET", `/app/api/${path}`, { token }),
    send: (method, path, body = {}) => call(base, method, `/app/api/${path}`, { token, body }),
  };
}
