import { type Sandbox, startSandbox } from "../../sandbox/server.ts";

/** The emulated Telegram, as a test steers it. */
export interface Telegram {
  /** What the service wants as TELEGRAM_API_URL. */
  readonly url: string;
  /** An admin request that must succeed, e.g. `admin("POST /faults", {...})`. */
  admin<T = Record<string, unknown>>(route: string, body?: object): Promise<T>;
  /** A bot of its own whom the given people have started. `token`: that of an earlier emulator's bot. */
  addBot(people: readonly string[], token?: string): Promise<Bot>;
  close(): Promise<void>;
}

export interface Bot {
  readonly id: number;
  readonly token: string;
  /** Texts that arrived at the messenger, by chat, in order of arrival. */
  sent(): Promise<Map<string, string[]>>;
  /** Resolves when so many sends have arrived in all. */
  untilSent(count: number, timeoutMs?: number): Promise<void>;
  sentTotal(): Promise<number>;
  /** A person starts the bot. */
  addPerson(chatId: string): Promise<void>;
  /** A person of the bot writes. */
  write(chatId: string, text: string): Promise<void>;
}

export async function startTelegram(): Promise<Telegram> {
  const sandbox = await startSandbox();
  const admin = createAdmin(sandbox);
  await admin("POST /settings", { retry_scale: 0.01, wait_scale: 0 });
  return {
    url: `${sandbox.url}/telegram`,
    admin,
    addBot: (people, token) => addBot(admin, people, token),
    close: () => sandbox.close(),
  };
}

type Admin = Telegram["admin"];

function createAdmin({ url }: Sandbox): Admin {
  return async <T>(route: string, body?: object): Promise<T> => {
    const [method = "GET", path = "/"] = route.split(" ");
    const answer = await fetch(`${url}/admin/telegram${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
}

interface SentList {
  readonly complete: boolean;
  readonly count: number;
  readonly items: readonly { readonly chat_id: number; readonly message?: { readonly text?: string } }[];
}

async function addBot(admin: Admin, people: readonly string[], known?: string): Promise<Bot> {
  const { id, token } = await admin<{ id: number; token: string }>(
    "POST /bots",
    known === undefined ? {} : { token: known },
  );
  const addPerson = async (person: string): Promise<void> => {
    await admin("POST /users", { id: Number(person), first_name: `Person ${person}` });
    await admin(`POST /bots/${id}/users/${person}/start`);
  };
  for (const person of people) await addPerson(person);
  const list = (query: string): Promise<SentList> =>
    admin(`GET /bots/${id}/sent?method=sendMessage&${query}`);
  return {
    id,
    token,
    async sent() {
      const { items } = await list("limit=10000");
      const byChat = Map.groupBy(items, ({ chat_id: chat }) => String(chat));
      return new Map(
        [...byChat].map(([chat, sent]) => [chat, sent.map(({ message }) => message?.text ?? "")]),
      );
    },
    async untilSent(count, timeoutMs = 30_000) {
      const { complete } = await list(`limit=1&count=${count}&timeout_ms=${timeoutMs}`);
      if (!complete) throw new Error(`fewer than ${count} sends arrived in ${timeoutMs} ms`);
    },
    sentTotal: async () => (await list("limit=1")).count,
    addPerson,
    write: (chatId, text) => admin(`POST /bots/${id}/users/${chatId}/messages`, { text }),
  };
}
