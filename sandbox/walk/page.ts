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
  const { origin, pathname } = new URL(url);
  const [start, transport] = pathname.split("/").reverse().slice(1);
  const left = await answer(origin, `sign-ins/${transport}/departures`, { start });
  cookies.set(
    origin,
    left.headers
      .getSetCookie()
      .map((line) => line.split(";", 1)[0])
      .join("; "),
  );
  await fetch(((await left.json()) as { url: string }).url);
}

/** Of this program as a browser, for each service. */
const cookies = new Map<string, string>();

interface Reply {
  readonly kind: string;
  readonly items?: readonly { readonly id: string }[];
  readonly asked?: { readonly agreement: string };
}

/** Returns from the messenger with this address, as the sign-in window does, and agrees. */
export async function comeBack(address: string): Promise<void> {
  const { origin, pathname, searchParams } = new URL(address);
  const path = `sign-ins/${pathname.split("/").at(-1)}/continuations`;
  const goOn = async (step: object): Promise<Reply> => {
    const body = { state: searchParams.get("state") ?? "", ...step };
    return (await answer(origin, path, body)).json() as Promise<Reply>;
  };
  const query = String(searchParams);
  const asked = await goOn({ query });
  const agreement = asked.asked?.agreement;
  const reply =
    asked.kind === "choice"
      ? await goOn({ choice: asked.items?.[0]?.id, agreement })
      : await goOn({ query, agreement });
  if (reply.kind !== "connected") throw new Error(`the way back answers ${JSON.stringify(reply)}`);
}

async function post<T>(origin: string, path: string, body: object, token = ""): Promise<T> {
  return (await answer(origin, path, body, token)).json() as Promise<T>;
}

async function answer(origin: string, path: string, body: object, token = ""): Promise<Response> {
  const response = await fetch(`${origin}/app/api/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      cookie: cookies.get(origin) ?? "",
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${(await response.text()).slice(0, 500)}`);
  return response;
}
