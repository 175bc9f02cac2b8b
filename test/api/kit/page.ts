import { type Answer, type Call, call } from "./call.ts";

/** A page that was opened by one of our links, as its scripts ask the service. */
export interface OpenPage {
  readonly token: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: object): Promise<Answer>;
  /** Begins to sign in; `state` is what the messenger sends back. */
  signIn(transport: string): Promise<{ readonly channel_id: string; readonly state: string }>;
}

/** Redeems the link in an answer of the interface, or a link itself. */
export async function openPage(base: { readonly url: string }, from: Answer | string): Promise<OpenPage> {
  const link = typeof from === "string" ? from : (from.json as { data: { link: string } }).data.link;
  const opened = await call(base, "POST", "/app/api/sessions", { body: proofOf(link) });
  if (opened.status !== 200) throw new Error(`the page does not open: ${opened.status} ${opened.text}`);
  const { token } = opened.json as { token: string };
  const ask = (method: "GET" | "POST", path: string, more: Call = {}) =>
    call(base, method, `/app/api/${path}`, { token, ...more });
  return {
    token,
    get: (path) => ask("GET", path),
    post: (path, body = {}) => ask("POST", path, { body }),
    async signIn(transport) {
      const { json } = await ask("POST", "sign-ins", { body: { transport } });
      const { channel_id, url } = json as { channel_id: string; url: string };
      return { channel_id, state: new URL(url).searchParams.get("state") ?? "" };
    },
  };
}

/** `/app/channels?ticket=…`, or a channel's own `/connect/{transport}/{ticket}`. */
export function proofOf(link: string): { ticket: string; transport?: string } {
  const { pathname, searchParams } = new URL(link);
  const [, transport, ticket] = /^\/connect\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
  if (transport !== undefined && ticket !== undefined) return { transport, ticket };
  return { ticket: searchParams.get("ticket") ?? "" };
}
