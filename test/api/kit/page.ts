import { type Answer, type Call, call } from "./call.ts";

/** A page that was opened by one of our links, as its scripts ask the service. */
export interface OpenPage {
  readonly token: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: object): Promise<Answer>;
  /** Begins to sign in, up to the messenger. */
  signIn(transport: string): Promise<SignInWindow>;
}

/** A browser that has gone to the messenger to sign in. */
export interface SignInWindow {
  readonly channel_id: string;
  /** The address where the sign-in starts. */
  readonly url: string;
  /** The messenger's dialog. */
  readonly messengerUrl: string;
  /** What the messenger sends back. */
  readonly state: string;
  /** The browser's cookie. */
  readonly cookie: string;
  /** A continuation, without agreeing to anything. */
  goOn(step: object, as?: { readonly cookie?: string }): Promise<Answer>;
  /** Returns with the messenger's query and agrees. Resolves with the last answer. */
  comeBack(query: string): Promise<unknown>;
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
      return { channel_id, ...(await depart(base, transport, url)) };
    },
  };
}

/** Opens the address where a sign-in starts in a browser of its own. */
export async function depart(
  base: { readonly url: string },
  transport: string,
  url: string,
): Promise<Omit<SignInWindow, "channel_id">> {
  const route = (name: string) => `/app/api/sign-ins/${transport}/${name}`;
  const start = new URL(url).pathname.split("/").at(-2) ?? "";
  const left = await call(base, "POST", route("departures"), { body: { start } });
  if (left.status !== 200) throw new Error(`the sign-in does not start: ${left.status} ${left.text}`);
  const { url: messengerUrl } = left.json as { url: string };
  const state = new URL(messengerUrl).searchParams.get("state") ?? "";
  const cookie = String(left.headers["set-cookie"]).split(";", 1)[0] ?? "";
  const goOn: SignInWindow["goOn"] = (step, as = { cookie }) =>
    call(base, "POST", route("continuations"), {
      body: { state, ...step },
      headers: as.cookie === undefined ? {} : { cookie: as.cookie },
    });
  return {
    url,
    messengerUrl,
    state,
    cookie,
    goOn,
    async comeBack(query) {
      const { json } = await goOn({ query });
      const { kind, asked } = json as { kind?: string; asked?: { agreement: string } };
      if (kind !== "question") return json;
      return (await goOn({ query, agreement: asked?.agreement })).json;
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
