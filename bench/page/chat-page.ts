import { setTimeout as sleep } from "node:timers/promises";
import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserContext, type Page, chromium as playwright } from "playwright-core";
import { openDatabase } from "../../src/database/database.ts";
import { createLog } from "../../src/platform/log.ts";
import { fillInbox } from "../kit/history.ts";
import { atMost, percentile, type Row } from "../kit/numbers.ts";
import { chatId, client, post, type Stand } from "../kit/stand.ts";

const MESSAGES = 30_000;
const THREAD = 10_000;
const OPENINGS = 9;
const ARRIVALS = 30;
const SLOWED = 4;

/** The chat page in a browser: how fast it opens, scrolls a long thread, and shows a new message. */
export async function benchChatPage(stand: Stand): Promise<Row[]> {
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "bench" });
  await db.session((session) => fillInbox(session, stand, MESSAGES));
  const service = await stand.serve();
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args.filter((arg) => !/^--(headless|single-process|no-zygote)/.test(arg)),
  });
  try {
    const link = () => linkOf(service.url, stand);
    const openings = await timeOpenings(browser, link);
    const rows = [
      atMost(
        "chat-page",
        `first message of the chat asked for, CPU ${SLOWED} times slower, p50`,
        percentile(openings, 0.5),
        "ms",
        1_000,
      ),
      { bench: "chat-page", figure: "the same, slowest", value: Math.max(...openings), unit: "ms" },
    ];
    const { page, context } = await openPage(browser, await link());
    const tasks = await scrollThread(page);
    rows.push(
      atMost("chat-page", `longest task while ${THREAD} messages are scrolled`, tasks.longest, "ms", 50),
      { bench: "chat-page", figure: "tasks over 50 ms meanwhile", value: tasks.count, unit: "" },
    );
    await context.close();
    const shown = await timeArrivals(browser, stand, link, async (text) => {
      const [row] = await db.query<{ at: Date }>("select created_at as at from messages where text = $1", [
        text,
      ]);
      return row?.at.getTime() ?? Number.NaN;
    });
    rows.push(
      atMost("chat-page", "a message, from stored to shown, p50", percentile(shown, 0.5), "ms", 200),
      atMost("chat-page", "the same, p95", percentile(shown, 0.95), "ms", 200),
    );
    return rows;
  } finally {
    await browser.close();
    await service.stop();
    await db.close();
  }
}

/** A link that opens the page with the long thread. */
async function linkOf(url: string, { account }: Stand): Promise<string> {
  const api = client(url, account.apiKey, 1);
  const body = {
    user: { id: "agent-1", name: "Agent" },
    scope: "global",
    activeChat: { chatType: "telegram", chatId: "bench-1" },
  };
  const { url: link } = await api.post<{ url: string }>("/v3/iframe", body);
  await api.close();
  return link;
}

/** Records when the first message is in the document, and each long task. */
const WATCH = `
  globalThis.firstAt = 0;
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask", buffered: true });
  new MutationObserver((_, observer) => {
    if (document.querySelector("[role=log] article") === null) return;
    observer.disconnect();
    // Once it is painted.
    requestAnimationFrame(() => setTimeout(() => { firstAt = performance.now(); }));
  }).observe(document, { childList: true, subtree: true });`;

async function openPage(
  browser: Browser,
  link: string,
  slowed = 1,
): Promise<{ readonly page: Page; readonly context: BrowserContext }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: slowed });
  await page.addInitScript(WATCH);
  await page.goto(link);
  await page.locator("[role=log] article").first().waitFor({ timeout: 60_000 });
  // The page's policy prevents Playwright from evaluating a condition in it.
  while (!((await page.evaluate("firstAt")) as number)) await sleep(10);
  return { page, context };
}

/** Milliseconds from the navigation to the first message; each time without a cache. */
async function timeOpenings(browser: Browser, link: () => Promise<string>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < OPENINGS; round++) {
    const { page, context } = await openPage(browser, await link(), SLOWED);
    times.push(Number(await page.evaluate("firstAt")));
    await context.close();
  }
  return times;
}

/** Scrolls to the start of the thread, which loads it, and back to its end. */
async function scrollThread(page: Page): Promise<{ readonly longest: number; readonly count: number }> {
  await page.evaluate("longTasks.length = 0");
  await page.getByRole("log").hover();
  const isAt = (edge: "begin" | "end") =>
    page.evaluate(`(() => {
      const log = document.querySelector("[role=log]");
      const rest = ${edge === "begin" ? "log.scrollTop" : "log.scrollHeight - log.clientHeight - log.scrollTop"};
      return rest < 2 && log.ariaBusy !== "true";
    })()`);
  for (const [edge, step] of [
    ["begin", -3_000],
    ["end", 12_000],
  ] as const)
    for (let quiet = 0; quiet < 20; quiet = (await isAt(edge)) ? quiet + 1 : 0) {
      await page.mouse.wheel(0, step);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }
  const tasks = (await page.evaluate("longTasks")) as number[];
  return { longest: Math.max(0, ...tasks), count: tasks.length };
}

/** Milliseconds from the storing of a message's row to its bubble, by this machine's clock. */
async function timeArrivals(
  browser: Browser,
  stand: Stand,
  link: () => Promise<string>,
  storedAt: (text: string) => Promise<number>,
): Promise<number[]> {
  const { page, context } = await openPage(browser, await link());
  const write = (text: string) =>
    post(`${stand.admin}/bots/${stand.botId}/users/${chatId(0)}/messages`, { text });
  await write("the first of them");
  await page.getByRole("navigation").getByText("the first of them").click();
  await page.getByRole("log").getByText("the first of them").waitFor();
  const times: number[] = [];
  for (let round = 0; round < ARRIVALS; round++) {
    const text = `arrival ${round} of ${ARRIVALS}`;
    const seen = page.evaluate(`new Promise((done) => new MutationObserver((_, observer) => {
      const log = document.querySelector("[role=log]");
      if (!log.textContent.includes(${JSON.stringify(text)})) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.timeOrigin + performance.now())));
    }).observe(document, { childList: true, subtree: true, characterData: true }))`);
    await write(text);
    times.push(Number(await seen) - (await storedAt(text)));
  }
  await context.close();
  return times;
}
