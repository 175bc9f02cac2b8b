import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { io } from "socket.io-client";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openFront } from "../../sandbox/walk/front.ts";
import { type Balancer, startHaproxy, startNginx } from "../kit/balancer.ts";
import { findProgram } from "../kit/installed-programs.ts";
import { type Receiver, startReceiver } from "../kit/receiver.ts";
import {
  type Account,
  createAccount,
  type Environment,
  runCommand,
  type ServiceProcess,
  startService,
} from "../kit/service.ts";
import { type Bot, startTelegram, type Telegram } from "../kit/telegram.ts";

type CellName = "a" | "b";

interface Cell {
  readonly environment: Environment;
  readonly service: ServiceProcess;
  readonly account: Account;
}

const REDIRECT = "https://crm.example/callback";
const PERSON = "4711";
/** Five starts and eight commands; on a busy machine each takes half a minute. */
const START_MS = 600_000;

let directory: string;
let balancer: Balancer | undefined;
let front: Awaited<ReturnType<typeof openFront>>;
let telegram: Telegram;
let receiver: Receiver;
let bot: Bot;
let cells: Record<CellName, Cell>;
const services: ServiceProcess[] = [];
let idRange = 0;
/** What a start of the second cell said with another name. */
let refusal = "";
let partner: { of(cell: CellName): Registered };

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "trunkline-cells-"));
  // The embedded servers run as nobody.
  chmodSync(directory, 0o755);
  // PUBLIC_URL, behind which each of the load balancers takes its turn.
  front = await openFront(() => balancer?.url ?? "http://127.0.0.1:9");
  [telegram, receiver] = await Promise.all([startTelegram(), startReceiver()]);
  const common = {
    SECRET_KEY: randomBytes(32).toString("base64"),
    PUBLIC_URL: front.url,
    CALLBACKS: "on",
    TELEGRAM_API_URL: telegram.url,
    ALLOW_NETWORKS: "127.0.0.0/8",
  };
  const environmentOf = (name: CellName): Environment => {
    const home = join(directory, name);
    mkdirSync(home);
    return { ...common, DATA_DIR: home, CELL: name };
  };
  const [a, b] = [environmentOf("a"), environmentOf("b")];
  const start = async (environment: Environment): Promise<ServiceProcess> => {
    const service = await startService(environment);
    services.push(service);
    return service;
  };
  // The first start creates the embedded database of the second cell.
  const [first, fresh] = await Promise.all([start(a), start(b)]);
  await fresh.end("SIGTERM");
  const joined = JSON.parse(
    await runCommand(b, ["key", "adopt", "--from", a["DATA_DIR"] ?? "", "--json"]),
  ) as { ids: { first: number } };
  idRange = joined.ids.first / 1_000_000;
  // Before the cell runs, because a second process with its database is refused for that reason.
  refusal = await start({ ...b, CELL: "c" }).then(() => "it started", String);
  const second = await start(b);
  cells = {
    a: { environment: a, service: first, account: await createAccount(a) },
    b: { environment: b, service: second, account: await createAccount(b) },
  };
  partner = await addPartner();
}, START_MS);
afterAll(async () => {
  await Promise.all(services.map((service) => service.end("SIGTERM")));
  await Promise.all([telegram?.close(), receiver?.stop()]);
  front?.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of a test
  readonly json: any;
}

interface Sent {
  readonly token?: string;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON. */
  readonly body?: object | string;
}

/** Through the load balancer. */
async function ask(method: "GET" | "POST" | "PATCH", path: string, sent: Sent = {}): Promise<Answer> {
  const { token, headers = {}, body } = sent;
  const address = path.startsWith("http") ? path : front.url + path;
  const answer = await request(address, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(typeof body === "object" ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    body: typeof body === "object" ? JSON.stringify(body) : (body ?? null),
  });
  const text = await answer.body.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: answer.statusCode, headers: answer.headers, text, json };
}

/**
 * How many requests each cell has answered; without those that the test and the load balancer ask for themselves, and without
 * streams, which end when the cell hears that their page has gone.
 */
async function answeredBy(name: CellName): Promise<number> {
  const answer = await request(`${cells[name].service.url}/metrics`);
  const lines = (await answer.body.text()).matchAll(
    /^trunkline_http_request_duration_seconds_count\{.*route="([^"]*)".*\} (\d+)$/gm,
  );
  return [...lines]
    .filter(
      ([, route = ""]) =>
        !["/metrics", "/readyz", "/app/stream"].includes(route) && !route.startsWith("/in/"),
    )
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}

/** The answer to a request that this cell must have got, and the other one must not. */
async function askFor(name: CellName, ...call: Parameters<typeof ask>): Promise<Answer> {
  const other = name === "a" ? "b" : "a";
  const [own, others] = [await answeredBy(name), await answeredBy(other)];
  const answer = await ask(...call);
  // An answer is counted once it is sent.
  await vi.waitUntil(async () => (await answeredBy(name)) > own, { timeout: 60_000 });
  expect(await answeredBy(other)).toBe(others);
  return answer;
}

async function ok(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering;
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

test("addresses and tokens name the cell, and account ids begin with its range", () => {
  expect(idRange).toBeGreaterThanOrEqual(1000);
  expect(String(cells.a.account.accountId)).toMatch(/^\d{8}$/);
  expect(String(cells.b.account.accountId)).toMatch(new RegExp(`^${idRange}\\d{6}$`));
  expect(cells.a.account.accessToken).toMatch(/^tl_at_a\.[\w-]{43}$/);
  expect(cells.b.account.apiKey).toMatch(/^tl_ak_b\.[\w-]{43}$/);
});

test("a start or command with another name is refused and says what to set", async () => {
  expect(refusal).toContain('This database belongs to the cell "b", and CELL is "c". Set CELL=b');
  await expect(runCommand({ ...cells.b.environment, CELL: "c" }, ["account", "list"])).rejects.toThrow(
    'This database belongs to the cell "b", and CELL is "c". Set CELL=b',
  );
});

test("the doctor knows the cell, its ids and those that joined", async () => {
  const of = async (name: CellName) => {
    const findings = JSON.parse(await runCommand(cells[name].environment, ["doctor", "--json"])) as {
      name: string;
      detail: string;
    }[];
    return findings.find((finding) => finding.name === "cell")?.detail;
  };
  expect(await of("a")).toBe("a, account ids from 10000000 to 99999999; joined by b");
  expect(await of("b")).toBe(`b, account ids from ${idRange}000000 to ${idRange}999999`);
});

const PROGRAMS = [
  ["haproxy", findProgram("haproxy"), startHaproxy],
  ["nginx", findProgram("nginx"), startNginx],
] as const;
for (const [name, program] of PROGRAMS)
  if (program === undefined) console.warn(`Not tested: ${name} is not installed`);

describe.each(
  PROGRAMS.flatMap(([name, program, start]) => (program === undefined ? [] : [{ name, program, start }])),
)("$name leads to the right cell", ({ name, program, start }) => {
  beforeAll(async () => {
    const home = join(directory, name);
    mkdirSync(home);
    balancer = await start(program, home, {
      first: cells.a.service.url,
      second: cells.b.service.url,
      idRange,
    });
    // Until it knows which nodes are there.
    await vi.waitUntil(
      async () => {
        const found = await Promise.all(["/c/a/healthz", "/c/b/healthz"].map((path) => ask("GET", path)));
        return found.every(({ status }) => status === 200);
      },
      { timeout: 60_000, interval: 100 },
    );
  });
  afterAll(async () => {
    await balancer?.stop();
    balancer = undefined;
  });

  const each = ["a", "b"] as const;

  test.each(each)("requests of both interfaces with the tokens of cell %s", async (cell) => {
    const { accessToken, apiKey } = cells[cell].account;
    await ok(askFor(cell, "GET", "/v2/channels", { token: accessToken }));
    await ok(askFor(cell, "GET", "/v3/webhooks", { token: apiKey }));
    await ok(askFor(cell, "GET", `/c/${cell}/v2/channels`, { token: accessToken }));
  });

  test.each(each)("links to the connect page, and its requests, of cell %s", async (cell) => {
    const token = cells[cell].account.accessToken;
    const { json } = await ok(askFor(cell, "POST", "/v2/iframe-links/channels", { token, body: {} }));
    const link = new URL(json.data.link);
    expect(link.href).toContain(`${front.url}/c/${cell}/app/channels?ticket=tl_pt_${cell}.`);
    await askFor(cell, "GET", link.href);
    const ticket = link.searchParams.get("ticket") ?? "";
    const opened = await ok(askFor(cell, "POST", `/c/${cell}/app/api/sessions`, { body: { ticket } }));
    const session = opened.json.token as string;
    expect(session).toMatch(new RegExp(`^tl_pt_${cell}\\.`));
    await ok(askFor(cell, "GET", `/c/${cell}/app/api/transports`, { token: session }));
    // A page that was opened before the installation got names asks without a path.
    await ok(askFor(cell, "GET", "/app/api/transports", { token: session }));
  });

  test.each(each)("the chat page of cell %s: its stream, and links to its files", async (cell) => {
    const token = cells[cell].account.accessToken;
    const body = { user_id: "7", scope: "global" };
    const { json } = await ok(askFor(cell, "POST", "/v2/iframe-links/chats", { token, body }));
    const link = new URL(json.data.link);
    expect(link.pathname).toBe(`/c/${cell}/app/chats`);
    const base = `${front.url}/c/${cell}`;
    const opened = await ok(
      ask("POST", `${base}/app/api/chat-sessions`, { body: { ticket: link.searchParams.get("ticket") } }),
    );
    const session = opened.json.token as string;
    const stop = new AbortController();
    const stream = await request(`${base}/app/stream`, {
      headers: { authorization: `Bearer ${session}` },
      signal: stop.signal,
    });
    expect(stream.headers["content-type"]).toContain("text/event-stream");
    for await (const chunk of stream.body) {
      expect(String(chunk)).not.toBe("");
      break;
    }
    stop.abort();
    const file = await ok(
      askFor(cell, "POST", `${base}/app/api/files?name=note.txt`, {
        token: session,
        headers: { "content-type": "text/plain" },
        body: `a note of ${cell}`,
      }),
    );
    expect(file.json.url).toContain(`${base}/files/`);
    expect((await askFor(cell, "GET", file.json.url)).text).toBe(`a note of ${cell}`);
  });

  test("the socket of counters, in the first cell", async () => {
    const { apiKey } = cells.a.account;
    await ok(askFor("a", "POST", "/v3/users", { token: apiKey, body: [{ id: "7", name: "Ann" }] }));
    const socket = io(balancer?.url ?? "", {
      path: "/ws-counters/",
      transports: ["websocket"],
      reconnection: false,
    });
    onTestFinished(() => void socket.disconnect());
    socket.on("connect", () => socket.emit("counterConnecting", { type: "api_v3", apiKey, userId: "7" }));
    const told = await new Promise((resolve, reject) => {
      socket.once("counterUpdate", resolve);
      for (const end of ["connect_error", "disconnect"]) socket.once(end, reject);
    });
    expect(told).toMatchObject({ counterV2: 0 });
  });

  test("callbacks of a messenger", async () => {
    const { apiKey, accessToken } = cells.b.account;
    bot = await telegram.addBot([PERSON]);
    const subscriptions = { messagesAndStatuses: true };
    await ok(
      ask("PATCH", "/v3/webhooks", { token: apiKey, body: { webhooksUri: receiver.url, subscriptions } }),
    );
    const channel = await ok(
      ask("POST", "/v2/channels", {
        token: accessToken,
        body: { transport: "telegram", credentials: { telegram_token: bot.token } },
      }),
    );
    const id = channel.json.data[0].channel_id as string;
    const webhook = async () =>
      (await request(`${telegram.url}/bot${bot.token}/getWebhookInfo`)).body.json() as Promise<{
        result: { url: string };
      }>;
    await vi.waitUntil(async () => (await webhook()).result.url === `${front.url}/c/b/in/telegram/${id}`, {
      timeout: 60_000,
      interval: 100,
    });
    await bot.write(PERSON, `hello through ${name}`);
    await receiver.until(() => receiver.taken().some(({ text }) => text === `hello through ${name}`), 60_000);
  });

  test("a channel's own link to the connect page", async () => {
    const token = cells.b.account.accessToken;
    const made = await ok(
      ask("POST", "/v2/channels", { token, body: { transport: "wapi", credentials: {} } }),
    );
    const url = new URL(made.json.data[0].url);
    expect(url.pathname).toMatch(/^\/c\/b\/connect\/wapi\//);
    const sent = await askFor("b", "GET", url.href);
    const page = new URL(String(sent.headers["location"]), url);
    expect([sent.status, page.pathname]).toEqual([303, "/c/b/app/channels"]);
    const { ticket, transport } = Object.fromEntries(page.searchParams);
    await ok(askFor("b", "POST", "/c/b/app/api/sessions", { body: { ticket, transport } }));
    // A messenger redirects to one address for all cells; its `state` names the cell.
    const back = await ask("GET", "/connect/wapi?code=1&state=00000000-0000-4000-8000-000000000000.x.b");
    expect(back.headers["location"]).toMatch(/^\/c\/b\/app\/channels\?/);
  });

  test("the console of each cell", async () => {
    const { link } = JSON.parse(await runCommand(cells.b.environment, ["operator", "link", "--json"]));
    expect(link).toContain(`${front.url}/c/b/app/console#/link/tl_cl_b.`);
    await askFor("b", "GET", link);
    expect((await askFor("b", "GET", "/c/b/app/api/console/session")).status).toBe(401);
  });

  test("OAuth: a consent, and the tokens of a code, of a refresh and of a machine token", async () => {
    const [a, b] = [partner.of("a"), partner.of("b")];
    const visit = (cell: string, { clientId }: Registered) =>
      `${cell}/v2/oauth/authorize?${new URLSearchParams({
        client_id: clientId,
        redirect_uri: REDIRECT,
        response_type: "code",
        scope: "transport",
        state: "s",
        code_challenge_method: "S256",
        code_challenge: CHALLENGE,
      })}`;
    // The key that the person types names the cell; the address does not.
    const lost = await consent(visit("", a), cells.b.account.apiKey);
    expect([lost.status, lost.headers["location"]]).toEqual([307, visit("/c/b", a)]);
    const agreed = await consent(visit("/c/b", b), cells.b.account.apiKey);
    const code = new URL(String(agreed.headers["location"])).searchParams.get("code") ?? "";
    expect(code).toMatch(/^tl_ac_b\./);

    const { headers, clientId } = b;
    const grant = { code, redirect_uri: REDIRECT, client_id: clientId, code_verifier: VERIFIER };
    const exchanged = await ok(
      askFor("b", "POST", "/v2/oauth/token", {
        headers,
        body: { grant_type: "authorization_code", authorize_code_data: grant },
      }),
    );
    const { access_token: token, refresh_token } = exchanged.json.data;
    expect([token, refresh_token].map((each) => each.slice(0, 8))).toEqual(["tl_at_b.", "tl_rt_b."]);
    await ok(askFor("b", "GET", "/v2/channels", { token }));
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const refreshed = await ok(
      askFor("b", "POST", "/v2/oauth/token", {
        headers: { ...headers, ...form },
        body: String(
          new URLSearchParams({ grant_type: "refresh_token", refresh_token, client_id: clientId }),
        ),
      }),
    );
    const fresh = refreshed.json.access_token as string;
    await ok(askFor("b", "POST", "/v2/oauth/revoke", { headers, body: { token: fresh } }));
    expect((await askFor("b", "GET", "/v2/channels", { token: fresh })).status).toBe(401);

    const client = { name: "Client of a partner", lang: "en", currency: "EUR", country: "DE", timezone: 2 };
    const made = await ok(askFor("b", "POST", "/c/b/v2/accounts", { headers, body: client }));
    const accountId = made.json.data.account.account_id as number;
    expect(String(accountId)).toMatch(new RegExp(`^${idRange}`));
    await ok(askFor("b", "GET", `/v2/accounts/${accountId}`, { headers }));
    const machine = await ok(
      askFor("b", "POST", "/c/b/v2/oauth/token", {
        headers,
        body: { grant_type: "client_credentials", client_credentials_data: { scope: "transport" } },
      }),
    );
    const subject = {
      subject_token: machine.json.data.access_token,
      subject_token_type: "urn:trunkline:oauth:token-type:machine_token",
      scope: "transport",
    };
    for (const requested_subject of [accountId, String(accountId)])
      await ok(
        askFor("b", "POST", "/v2/oauth/token", {
          headers,
          body: {
            grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
            token_exchange_data: { requested_subject, ...subject },
          },
        }),
      );
  });

  test("an account that moved, with tokens of both cells", async () => {
    const account = await createAccount(cells.a.environment);
    const move = (from: CellName, to: CellName) =>
      runCommand(cells[from].environment, [
        "account",
        "move",
        String(account.accountId),
        "--to",
        cells[to].environment["DATA_DIR"] ?? "",
        "--address",
        cells[to].service.url,
      ]);
    const linkFor = async (token: string) => {
      const { json } = await ok(ask("POST", "/v2/iframe-links/channels", { token, body: {} }));
      return new URL(json.data.link);
    };
    const early = await linkFor(account.accessToken);
    await move("a", "b");
    // The old token leads to the old cell, which passes the request on; what it gets is of the new cell.
    const late = await linkFor(account.accessToken);
    expect([early.pathname, late.pathname]).toEqual(["/c/a/app/channels", "/c/b/app/channels"]);
    const opened = async (link: URL) =>
      (
        await ok(
          ask("POST", `${link.pathname.replace("/app/channels", "")}/app/api/sessions`, {
            body: { ticket: link.searchParams.get("ticket") },
          }),
        )
      ).json.token as string;
    expect(await opened(early)).toMatch(/^tl_pt_b\./);
    const session = await opened(late);
    await ok(askFor("b", "GET", "/c/b/app/api/transports", { token: session }));
    const { token } = JSON.parse(
      await runCommand(cells.b.environment, [
        "token",
        "create",
        "--account",
        String(account.accountId),
        "--kind",
        "access",
        "--json",
      ]),
    ) as { token: string };
    expect(token).toMatch(/^tl_at_b\./);
    await ok(askFor("b", "GET", "/v2/channels", { token }));
    // It moves again: the token of the cell where it was in between leads through that one.
    await move("b", "a");
    await ok(ask("GET", "/v2/channels", { token }));
    await ok(askFor("a", "GET", "/v2/channels", { token: account.accessToken }));
    expect((await linkFor(token)).pathname).toBe("/c/a/app/channels");
  });

  test.each<[string, CellName, string, string | undefined]>([
    ["an unknown token of a cell", "b", "/v2/channels", "tl_at_b.unknown"],
    ["an unknown token of no cell", "a", "/v2/channels", "tl_at_unknown"],
    ["a token of a cell that does not exist", "a", "/v2/channels", "tl_at_nowhere.unknown"],
    ["a token without a cell that begins like one", "a", "/v2/channels", "tl_at_b_unknown"],
    ["a path of a cell that does not exist", "a", "/c/nowhere/v2/channels", "tl_at_b.unknown"],
    ["no token at all", "a", "/v2/channels", undefined],
  ])("%s gets a refusal of one cell", async (_, cell, path, token) => {
    const answer = await askFor(cell, "GET", path, token === undefined ? {} : { token });
    expect([answer.status, answer.json]).toMatchObject([401, { error: "INVALID_APIKEY" }]);
  });

  test.each<[string, CellName, string]>([
    ["a file", "b", "/c/b/files/0123456789abcdefgh/x.txt"],
    ["an export", "b", "/c/b/files/exports/00000000-0000-4000-8000-000000000000/x.csv?expires=1&signature=x"],
    ["a file without a cell", "a", "/files/0123456789abcdefgh"],
  ])("the address of %s that does not exist", async (_, cell, path) => {
    expect((await askFor(cell, "GET", path)).status).toBe(404);
  });
});

const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

interface Registered {
  readonly clientId: string;
  readonly headers: { readonly authorization: string };
}

/** A partner and its application, registered in both cells. */
async function addPartner(): Promise<typeof partner> {
  const email = "partner@crm.example";
  const register = async ({ environment }: Cell): Promise<Registered> => {
    const { password } = JSON.parse(
      await runCommand(environment, ["partner", "create", "--email", email, "--json"]),
    ) as { password: string };
    const application = ["--partner", email, "--name", "CRM", "--redirect-uris", REDIRECT];
    const { clientId } = JSON.parse(
      await runCommand(environment, ["oauth", "client", "register", ...application, "--json"]),
    ) as { clientId: string };
    const basic = Buffer.from(`${email}:${password}`).toString("base64");
    return { clientId, headers: { authorization: `Basic ${basic}` } };
  };
  const registered = { a: await register(cells.a), b: await register(cells.b) };
  return { of: (cell) => registered[cell] };
}

/** A person signs in with a key and allows the application. Resolves with the last answer, or the first that leads away. */
async function consent(path: string, key: string): Promise<Answer> {
  let cookie = "";
  let form = "";
  const keep = (answer: Answer): Answer => {
    const [set] = [answer.headers["set-cookie"]].flat();
    cookie = set?.split(";")[0] ?? cookie;
    form = /name="form_token" value="([^"]+)"/.exec(answer.text)?.[1] ?? form;
    return answer;
  };
  const press = async (action: string, more: Record<string, string> = {}) =>
    keep(
      await ask("POST", path, {
        headers: { "content-type": "application/x-www-form-urlencoded", cookie },
        body: String(new URLSearchParams({ form_token: form, action, ...more })),
      }),
    );
  keep(await ask("GET", path));
  const signedIn = await press("sign-in", { key });
  if (signedIn.status !== 303) return signedIn;
  keep(await ask("GET", String(signedIn.headers["location"]), { headers: { cookie } }));
  return press("allow");
}
