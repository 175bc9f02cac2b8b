/** A page opened by one of the service's links; sends requests as its scripts do. */
interface OpenPage {
  /** The transport of the link; null: the person chooses. */
  readonly transport: string | null;
  post<T>(path: string, body: object): Promise<T>;
}

/** Opens the page of a link: `/app/channels?ticket=…`, or a channel's own `/connect/{transport}/{ticket}`. */
async function openPage(link: string): Promise<OpenPage> {
  const { origin, pathname, searchParams } = new URL(link);
  const [, transport, own] = /^\/connect\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
  const proof = own === undefined ? { ticket: searchParams.get("ticket") } : { ticket: own, transport };
  const session = await post<{ token: string; transport: string | null }>(origin, "sessions", proof);
  return {
    transport: session.transport,
    post: (path, body) => post(origin, path, body, session.token),
  };
}

/** Connects a channel with credentials typed on the page. Resolves with its id. */
export async function connectByKeys(link: string, transport: string, credentials: object): Promise<string> {
  const page = await openPage(link);
  const { channel_id: id } = await page.post<{ channel_id: string }>("channels", { transport, credentials });
  return id;
}

/** Opens the page and follows its button to the messenger's dialog. */
export async function openDialog(link: string): Promise<void> {
  const page = await openPage(link);
  const { url } = await page.post<{ url: string }>("sign-ins", { transport: page.transport });
  await fetch(url);
}

/** Returns from the messenger with this address, as the sign-in window does. */
export async function comeBack(address: string): Promise<void> {
  const { origin, pathname, searchParams } = new URL(address);
  const reply = await post<{ kind: string }>(origin, `sign-ins/${pathname.split("/").at(-1)}/continuations`, {
    state: searchParams.get("state") ?? "",
    query: String(searchParams),
  });
  if (reply.kind !== "connected") throw new Error(`the way back answers ${JSON.stringify(reply)}`);
}

async function post<T>(origin: string, path: string, body: object, token = ""): Promise<T> {
  const answer = await fetch(`${origin}/app/api/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${(await answer.text()).slice(0, 500)}`);
  return (await answer.json()) as T;
}
