import { type Database, declaredStatements, openDatabase } from "../../src/database/database.ts";
import { createLog } from "../../src/platform/log.ts";
import "../../src/core/inbox/chat-list.ts";
import "../../src/core/inbox/search.ts";
import "../../src/core/inbox/thread.ts";
import { fillInbox, LONG_CHAT } from "../kit/history.ts";
import { atMost, percentile, type Row } from "../kit/numbers.ts";
import { client, type Stand } from "../kit/stand.ts";

const MESSAGES = Number(process.env["INBOX_MESSAGES"] ?? 5_000_000);
const ROUNDS = 50;
const GOAL_MS = 10;
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const END = 4_102_444_800_000_000;
const WEEK_US = 604_800_000_000;
const DAY_US = 86_400_000_000;

interface Query {
  readonly figure: string;
  readonly statement: string;
  values(accountId: number): readonly unknown[];
}

const LISTS: readonly Query[] = [
  {
    figure: "first page of chats",
    statement: "inbox_chat_list",
    values: (id) => [id, 2 ** 31 - 1, END, LAST, 50],
  },
  {
    figure: "a later page of chats",
    statement: "inbox_chat_list",
    values: (id) => [id, ...before(30 * DAY_US), 50],
  },
  {
    figure: "end of a long thread",
    statement: "inbox_thread_before",
    values: (id) => [id, LONG_CHAT, END, LAST, 51],
  },
  {
    figure: "a page in the middle of it",
    statement: "inbox_thread_before",
    values: (id) => [id, LONG_CHAT, Date.now() * 1_000 - 1_094 * DAY_US, LAST, 51],
  },
  {
    figure: "chats by part of a phone number",
    statement: "inbox_chats_by_grams",
    values: (id) => [id, 2 ** 31 - 1, END, LAST, 50, "00123", grams(id, "00123")],
  },
  { figure: "messages by a rare word", statement: "inbox_search", values: (id) => found(id, 4, "rare7") },
  {
    figure: "messages by a word of each tenth",
    statement: "inbox_search",
    values: (id) => found(id, 1, "order"),
  },
];

function before(most: number): [number, number, string] {
  const at = Date.now() * 1_000 - Math.floor(Math.random() * most);
  return [Math.floor(at / 60_000_000), at, LAST];
}

function grams(accountId: number, text: string): string[] {
  return [...text].slice(2).map((_, at) => `${accountId}:${text.slice(at, at + 3)}`);
}

function found(accountId: number, count: number, word: string): unknown[] {
  const week = Math.floor((Date.now() * 1_000) / WEEK_US);
  const weeks = Array.from({ length: count }, (_, back) => week - back);
  return [accountId, weeks, word, null, END, LAST, 30];
}

/** The chat page of an account with five million messages: the duration of its statements and of its requests. */
export async function benchInbox(stand: Stand): Promise<Row[]> {
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "bench" });
  await db.session((session) => fillInbox(session, stand, MESSAGES));
  const service = await stand.serve();
  try {
    const rows: Row[] = [];
    for (const query of LISTS) rows.push(...(await timeStatement(db, stand.account.accountId, query)));
    const api = client(service.url, await sessionOf(service.url, stand));
    const paths = {
      "GET chats": "chats?limit=50",
      "GET messages": `chats/${LONG_CHAT}/messages?limit=50`,
      "GET chat-channels, for comparison": "chat-channels",
    };
    for (const [figure, path] of Object.entries(paths)) rows.push(await timeRequest(api, figure, path));
    await api.close();
    return rows;
  } finally {
    await service.stop();
    await db.close();
  }
}

interface Plan {
  readonly "QUERY PLAN": readonly [{ readonly "Execution Time": number; readonly "Planning Time": number }];
}

/** Measured in the server; prints the plan. */
async function timeStatement(
  db: Database,
  accountId: number,
  { figure, statement, values }: Query,
): Promise<Row[]> {
  const text = declaredStatements().get(statement) ?? "";
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [row] = await db.query<Plan>(
      `explain (analyze, timing off, format json) ${text}`,
      values(accountId),
    );
    times.push(row?.["QUERY PLAN"][0]["Execution Time"] ?? 0);
  }
  const plan = await db.query<{ "QUERY PLAN": string }>(
    `explain (analyze, buffers, costs off) ${text}`,
    values(accountId),
  );
  console.error(`\n-- ${figure}: ${statement}\n${plan.map((row) => row["QUERY PLAN"]).join("\n")}`);
  const name = `${figure}, ${MESSAGES / 1e6} million messages`;
  return [
    atMost("inbox", `${name}: statement, p50`, percentile(times, 0.5), "ms", GOAL_MS),
    { bench: "inbox", figure: `${name}: statement, p95`, value: percentile(times, 0.95), unit: "ms" },
  ];
}

async function timeRequest(api: ReturnType<typeof client>, figure: string, path: string): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    await api.get(`/app/api/${path}`);
    times.push(performance.now() - began);
  }
  return { bench: "inbox", figure: `${figure}, p50`, value: percentile(times, 0.5), unit: "ms" };
}

/** The token of a newly opened chat page. */
export async function sessionOf(url: string, { account }: Pick<Stand, "account">): Promise<string> {
  const api = client(url, account.apiKey, 1);
  const user = { id: "agent-1", name: "Agent" };
  const link = await api.post<{ url: string }>("/v3/iframe", { user, scope: "global" });
  const ticket = new URL(link.url).searchParams.get("ticket");
  const { token } = await api.post<{ token: string }>("/app/api/chat-sessions", { ticket });
  await api.close();
  return token;
}
