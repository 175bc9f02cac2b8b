import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { dropSink, recordSinkFailure, useSink } from "../../src/core/delivery/sink/sink.ts";
import { totpCode, totpStep } from "../../src/core/operator/totp.ts";
import { checkLook, closeWithTest, findProblems, openWindow, untilToast } from "./kit/browser.ts";
import { until } from "./kit/chat.ts";
import { type BrowserStand, runCli, startBrowserStand } from "./kit/stand.ts";

const PASSWORD = "correct horse battery";

interface Bot {
  readonly id: number;
  readonly token: string;
}

let stand: BrowserStand;
let receiver: Server;
let receiverUrl: string;
/** The receiver's responses, and what they wait for. */
let answer = 200;
let held = Promise.resolve();
let bot: Bot;
let channelId: string;

beforeAll(async () => {
  stand = await startBrowserStand({ PACING: "off" });
  receiver = createServer((request, response) => {
    request
      .resume()
      .on("end", () =>
        held.then(() => response.writeHead(answer).end(answer === 200 ? "" : "the CRM is broken")),
      );
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  ({ bot, channelId } = await addChannel("Lamps"));
  await v3("PATCH", "/v3/webhooks", {
    webhooksUri: receiverUrl,
    subscriptions: { messagesAndStatuses: true, channelsUpdates: true },
  });
});
afterAll(async () => {
  receiver?.closeAllConnections();
  receiver?.close();
  await stand?.close();
});

/** A channel of a bot that one person has started. */
async function addChannel(name: string): Promise<{ bot: Bot; channelId: string }> {
  const bot = await stand.admin<Bot>("telegram", "POST /bots", { name });
  const { data } = await stand.api<{ data: { channel_id: string }[] }>("POST", "/v2/channels", {
    transport: "telegram",
    credentials: { telegram_token: bot.token },
  });
  const channelId = data[0]?.channel_id ?? "";
  await until(async () => (await statusOf(channelId)) === "active");
  await stand.admin("telegram", `POST /bots/${bot.id}/users/111/start`, {});
  return { bot, channelId };
}

async function v3<T>(method: string, path: string, body: object): Promise<T> {
  const response = await fetch(stand.url + path, {
    method,
    headers: { authorization: `Bearer ${stand.account.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json().catch(() => ({}))) as T;
}
const statusOf = async (id: string) => {
  const { data } = await stand.api<{ data: { channel_id: string; status: string }[] }>("GET", "/v2/channels");
  return data.find((each) => each.channel_id === id)?.status;
};
const send = (text: string, to = channelId) =>
  v3<{ messageId: string }>("POST", "/v3/message", {
    channelId: to,
    chatType: "telegram",
    chatId: "111",
    text,
  });

async function open(options: { locale?: string; width?: number } = {}) {
  const window = await openWindow(stand.browser, { width: 1280, ...options });
  closeWithTest(window, { faultless: true });
  return window;
}
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name, level: 1 }).waitFor();
const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();
const follow = (page: Page, name: string | RegExp) => page.getByRole("link", { name }).first().click();

/** Creates a user by a command-line link, and signs in. */
async function enter(page: Page, login: string, args: readonly string[] = []): Promise<void> {
  const { link } = JSON.parse(await runCli(stand, ["operator", "link", ...args, "--json"])) as {
    link: string;
  };
  // The command line does not know the port that the service chose.
  await page.goto(`${stand.url}/app/console${new URL(link).hash}`);
  await page.getByLabel("Name", { exact: true }).fill(login);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press(page, "Continue");
  await heading(page, "My access");
}

test("first start: the printed link, a password, a second factor, and signing in with both", async () => {
  const [, link = ""] = /(http\S+\/app\/console#\/link\/\S+)/.exec(stand.service.output()) ?? [];
  const { page, context } = await open();
  await page.goto(link);
  await heading(page, "Set up the console");
  await checkLook(page, "console-link");
  await page.getByLabel("Name", { exact: true }).fill("root");
  await page.getByLabel("Password", { exact: true }).fill("short");
  await press(page, "Continue");
  await page.getByText("At least 12 characters.").waitFor();
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press(page, "Continue");
  await heading(page, "My access");
  expect(page.url()).not.toContain("tl_cl_");
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });

  await press(page, "Set up an authenticator app");
  const shown = (await page.locator("form code").textContent()) ?? "";
  await page.getByRole("img", { name: "QR code with the key" }).waitFor();
  await page.getByLabel("First code").fill("000000");
  await press(page, "Confirm");
  await page.getByText("The code is wrong").waitFor();
  const key = fromBase32(shown.replaceAll(" ", ""));
  const step = totpStep(new Date());
  await page.getByLabel("First code").fill(totpCode(key, step));
  await press(page, "Confirm");
  await page.getByText("Signing in requires a code from your authenticator app").waitFor();
  await checkLook(page, "console-me");

  await press(page, "Sign out");
  await heading(page, "Trunkline console");
  await checkLook(page, "console-sign-in");
  await page.getByLabel("Name", { exact: true }).fill("root");
  await page.getByLabel("Password", { exact: true }).fill("wrong password");
  await press(page, "Sign in");
  await page.getByText("The name, the password or the code is wrong").waitFor();
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press(page, "Sign in");
  await page.getByLabel("Code from your authenticator app").fill(totpCode(key, step));
  await press(page, "Sign in");
  // A code is valid once.
  await page.getByText("The name, the password or the code is wrong").waitFor();
  await page
    .getByLabel("Code from your authenticator app")
    .fill(totpCode(key, Math.max(step + 1, totpStep(new Date()))));
  await press(page, "Sign in");
  await heading(page, "Overview");

  const second = await open();
  await second.page.goto(link);
  await heading(second.page, "This link no longer works");
});

test("a failed webhook: from the overview to the request, repaired and replayed", async () => {
  const { page } = await open();
  await enter(page, "olga");
  answer = 500;
  await stand.admin("telegram", "POST /messages", {
    bot_id: bot.id,
    user_id: 111,
    text: "Do you have blue lamps?",
  });
  await follow(page, "Overview");
  await heading(page, "Overview");
  const remedy = page.getByRole("link", { name: "Check the receiver’s responses" });
  await remedy.waitFor();
  await page.getByText(/127\.0\.0\.1:\d+ · Shop · for/).waitFor();
  await checkLook(page, "console-overview");
  await remedy.click();
  await heading(page, "Deliveries");
  await page.getByRole("table", { name: "Receivers" }).getByRole("link", { name: "Shop" }).waitFor();
  await page.getByLabel("Result", { exact: true }).selectOption("refused");
  const refused = page.getByRole("table", { name: "Deliveries" }).getByRole("link").first();
  await refused.waitFor();
  await checkLook(page, "console-deliveries");
  await refused.click();
  await heading(page, "Delivery");
  await page.getByRole("region", { name: "Request: Body" }).getByText("Do you have blue lamps?").waitFor();
  await page.getByRole("region", { name: "Response: Body" }).getByText("the CRM is broken").waitFor();
  await checkLook(page, "console-delivery");

  // The replay says how it goes on, and leads to its new delivery.
  answer = 200;
  const { promise, resolve: release } = Promise.withResolvers<void>();
  held = promise;
  await press(page, "Replay");
  await page.getByText("Sending again: 0 of 1 done.").waitFor();
  release();
  await page.getByText("Delivered again: 1.").waitFor();
  await checkLook(page, "console-replay");
  await page.setViewportSize({ width: 1280, height: 800 });
  // The receiver's own next attempt may be in the second table.
  const tables = page.getByRole("table", { name: "Deliveries" });
  const replayed = tables.getByRole("row").filter({ hasText: "replay" }).first().getByRole("link").first();
  const [old, fresh] = [page.url(), await replayed.getAttribute("href")];
  expect(old).not.toContain(fresh);
  await replayed.click();
  await page.waitForURL((url) => url.hash === fresh);
  await page.getByRole("definition").getByText("replay").waitFor();
  await follow(page, "Deliveries");

  // From the list, by the keyboard.
  await page.getByLabel("Result", { exact: true }).selectOption("refused");
  const choice = page.getByRole("checkbox", { name: /^Select the delivery of/ }).first();
  await choice.focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Replay 1 selected" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Delivered again: 1.").waitFor();
  expect(await page.getByRole("button", { name: "Replay 1 selected" }).count()).toBe(0);
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Close");
  await page.keyboard.press("Enter");
  await page.getByText("Delivered again: 1.").waitFor({ state: "detached" });
  await page.getByLabel("Result", { exact: true }).selectOption("delivered");
  await page.getByRole("table", { name: "Deliveries" }).getByText("replay").first().waitFor();

  // All of a period, counted first: the receiver's own delivery too, which otherwise waits for its next attempt.
  await until(async () => {
    await stand.db.query("update webhook_cursors set due = now() where claim is null");
    const accepted =
      "select 1 from webhook_attempts where account_id = $1 and purpose = 'delivery' and status = 200";
    return (await stand.db.query(accepted, [stand.account.accountId])).length > 0;
  });
  await press(page, "Replay a period…");
  await page.getByLabel("Which").selectOption("delivered");
  await press(page, "Count");
  await page.getByText(/^\d+ deliver(y|ies)$/).waitFor();
  expect(await findProblems(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await press(page, /^Replay \d+ deliver/);
  await page.getByText(/^Delivered again: \d+\.$/).waitFor();

  await press(page, "Test");
  await page.getByRole("dialog").getByText("messages", { exact: true }).waitFor();
  expect(await findProblems(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();

  // The same by curl: the interface's own route.
  await press(page, "Copy as curl");
  await page
    .getByRole("dialog")
    .getByText(/curl -H 'Authorization: Bearer …' .*\/v3\/webhooks\/deliveries/)
    .waitFor();
});

test("a channel: sending stopped, its queue cleared, its token rejected, and its log", async () => {
  const { page } = await open();
  await enter(page, "ivan");
  await follow(page, "Channels");
  await heading(page, "Channels");
  const search = page.getByRole("searchbox", { name: /account or id/ });
  await search.fill("no such account");
  await page.getByRole("link", { name: "Lamps" }).waitFor({ state: "detached" });
  await search.fill("shop");
  await page.getByRole("link", { name: "Lamps" }).waitFor();
  await checkLook(page, "console-channels");
  await follow(page, "Lamps");
  await heading(page, "Lamps");
  await press(page, "Record every exchange");
  await page.getByText("Every exchange is recorded until").waitFor();
  // The console requests the bot's profile.
  await press(page, "Reconnect");
  const reconnect = page.getByRole("dialog").getByRole("button", { name: "Reconnect" });
  await untilToast(page, "The channel is restarting", () => reconnect.click());
  await page.getByText("the messenger responded").first().waitFor();
  await press(page, "Stop recording");
  await page.getByRole("button", { name: "Record every exchange" }).waitFor();
  await press(page, "Change pacing");
  const pacing = page.getByRole("dialog");
  await pacing.getByLabel("Messages per minute").fill("17");
  expect(await findProblems(page)).toEqual([]);
  const save = pacing.getByRole("button", { name: "Save" });
  await untilToast(page, "Pacing changed", () => save.click());
  await page.getByRole("definition").getByText("17", { exact: true }).waitFor();
  await stand.db.query(
    `insert into inbound_dead_letters (account_id, channel_id, digest, stage, payload, reason)
     values ($1, $2, '\\x01', 'payload', '{}', 'message.text is missing')`,
    [stand.account.accountId, channelId],
  );
  await page.getByText("message.text is missing").waitFor();
  await press(page, "Remove");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Every report of the messenger could be read and stored.").waitFor();
  await press(page, "Stop sending");
  await page.getByRole("dialog").getByRole("button", { name: "Stop sending" }).click();
  await page.getByText("sending stopped").first().waitFor();
  await send("First of two");
  await send("Second of two");
  await page.getByRole("link", { name: "Second of two" }).waitFor();
  await page.getByText("an operator to resume sending").waitFor();
  await checkLook(page, "console-channel");

  await press(page, "Clear");
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("button", { name: "Clear" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Type Lamps to confirm").fill("Lamps");
  expect(await findProblems(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole("button", { name: "Clear" }).click();
  await page.getByText("The queue is empty.").waitFor();
  await press(page, "Resume sending");
  await page.getByRole("button", { name: "Stop sending" }).waitFor();
  const { messageId } = await send("It goes on");
  await until(
    async () =>
      (await stand.db.query("select 1 from messages where id = $1 and status = 'sent'", [messageId])).length >
      0,
  );

  // The cleared message, and its result.
  await follow(page, "Messages");
  await page.getByText("Choose an account above").waitFor();
  await page.getByLabel("Account", { exact: true }).selectOption(String(stand.account.accountId));
  // A filter that changes before the search starts is not lost.
  await page.getByLabel("Words, id, phone, or a chat's name").waitFor();
  await page.evaluate(`(() => {
    const [search, direction] = ["input[type=search]", "main select"].map((of) => document.querySelector(of));
    search.value = "second of";
    search.dispatchEvent(new Event("input", { bubbles: true }));
    direction.value = "out";
    direction.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
  await page.getByRole("link", { name: "Second of two" }).waitFor();
  await page.waitForURL(/search=second\+of.*direction=out|direction=out.*search=second\+of/);
  await checkLook(page, "console-messages");
  await follow(page, "Second of two");
  await page.getByText(/Failed: MESSAGE_CANCELLED/).waitFor();
  await page.getByRole("table", { name: "Deliveries" }).getByText("delivered").first().waitFor();
  await checkLook(page, "console-message");

  // If the messenger rejects the token, the open log and the state show it.
  await page.goto(`${stand.url}/app/console#/channels/${stand.account.accountId}/${channelId}`);
  await heading(page, "Lamps");
  await stand.admin("telegram", `POST /bots/${bot.id}/revocations`, {});
  // The connector's pending request for updates waits up to 50 s. A message from a person ends it; the next request
  // is rejected.
  await stand.admin("telegram", `POST /bots/${bot.id}/users/111/start`, {});
  await page.getByText("credentials rejected").first().waitFor();
  await page.getByText("Open the connect page and enter it again").waitFor();
  await page.getByText("The messenger said: ").waitFor();
  await page.getByRole("alert").getByRole("button", { name: "Open the connect page" }).waitFor();
  await page.getByRole("listitem").getByText("credentials rejected").waitFor();
  await checkLook(page, "console-channel-down");
  await page.getByText("the channel was disconnected").waitFor();
  const log = page.locator("section", { has: page.getByRole("heading", { name: "Exchange log" }) });
  await checkLook(page, "console-channel-log", log);
});

test("charts: what was sent and failed, a chosen point, and a channel's waiting messages", async () => {
  await stand.db.query("delete from statistics");
  const shares = { sent: 40, SPAM: 6, BAD_CONTACT: 3, TOO_MANY_EXT_REQS: 1 };
  for (const [label, share] of Object.entries(shares))
    await stand.db.query(
      `insert into statistics (account_id, span_seconds, kind, at, subject, label, count, total, peak)
       select $1, s.span, kind, to_timestamp(floor(extract(epoch from now()) / s.span - n) * s.span), $2, $3,
         greatest(0, round($4::int * (1.2 + sin(n / 3.0)))), $4::int * 180 * (1.2 + cos(n / 4.0)), 900 + 40 * n
       from (values (300, 12), (3600, 24), (86400, 30)) as s (span, points)
         cross join unnest(array['messages', 'requests']) kind
         cross join lateral generate_series(0, s.points) n`,
      [stand.account.accountId, channelId, label, share],
    );
  const { page } = await open();
  await enter(page, "chart");
  await follow(page, "Charts");
  await heading(page, "Charts");
  const chart = page.getByRole("img", { name: "Messages sent and failed" });
  await chart.waitFor();
  await page
    .getByRole("row", { name: /TOO_MANY_EXT_REQS/ })
    .first()
    .waitFor();
  await checkLook(page, "console-charts");
  await page.setViewportSize({ width: 768, height: 800 });
  expect(await findProblems(page, [768])).toEqual([]);

  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByText("In the whole period").waitFor();
  await chart.focus();
  await page.keyboard.press("ArrowRight");
  await page.getByText(/^At \d\d:\d\d/).waitFor();
  await page.keyboard.press("Tab");
  await page.getByText("In the whole period").waitFor();
  await page.locator("summary", { hasText: "All values as a table" }).click();
  const values = page.getByRole("table", { name: "All values as a table" });
  await values.waitFor();
  expect(await values.locator("tbody tr").count()).toBe(13);

  // A channel with its account, because all accounts are shown.
  await page.getByLabel("Lines by", { exact: true }).selectOption("subject");
  const line = page.getByRole("table", { name: "Line" }).getByRole("link", { name: "Lamps · Shop" });
  expect(await line.getAttribute("href")).toBe(`#/channels/${stand.account.accountId}/${channelId}`);
  await page.getByLabel("What", { exact: true }).selectOption("requests");
  await page.getByLabel("Period", { exact: true }).selectOption("month");
  await page.getByLabel("Values", { exact: true }).selectOption("means");
  await page.getByText("Days are days in UTC.").waitFor();
  await page.waitForURL(/kind=requests.*range=month.*shows=means/);
  await checkLook(page, "console-charts-month");
  // Of a channel that does not exist nothing is ever counted; whatever does exist is counted every minute.
  await page.goto(`${stand.url}/app/console#/charts?kind=messages&subject=${randomUUID()}`);
  await page.getByText("Nothing was counted in this period.").waitFor();
  await checkLook(page, "console-charts-empty");
});

test("a viewer sees everything but can change nothing; every section is accessible in every theme and width", async () => {
  const { page } = await open();
  await enter(page, "vera", ["--role", "viewer"]);
  const actions =
    /^(Replay|Change|Process|Remove|Test|Pause|Resume|Stop|Clear|Connect|New|Invite|Revoke|Save|Export|Let)/;
  for (const [section, wait] of [
    ["Overview", "The last 24 hours"],
    ["Channels", "Lamps"],
    ["Webhooks", "healthy"],
    ["Accounts", "any"],
    ["Templates", /Choose an account|No templates/],
    ["Exports", "No export"],
    ["System", "alive"],
  ] as const) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await follow(page, section);
    await heading(page, section);
    await page.getByText(wait).first().waitFor();
    expect(await page.getByRole("main").getByRole("button", { name: actions }).count(), section).toBe(0);
    await checkLook(page, `console-${section.toLowerCase()}-viewer`);
  }
  await page.goto(`${stand.url}/app/console#/channels/${stand.account.accountId}/${channelId}`);
  await page.getByText("Exchange log").waitFor();
  expect(await page.getByRole("main").getByRole("button", { name: actions }).count()).toBe(0);
});

test("an operator manages accounts, tokens, people and exports, in Russian", async () => {
  const { page } = await open({ locale: "ru-RU" });
  const { link } = JSON.parse(await runCli(stand, ["operator", "link", "--json"])) as { link: string };
  await page.goto(`${stand.url}/app/console${new URL(link).hash}`);
  await heading(page, /Добро пожаловать в консоль|Настройка консоли/);
  await page.getByLabel("Имя", { exact: true }).fill("anna");
  await page.getByLabel("Пароль", { exact: true }).fill(PASSWORD);
  await press(page, "Продолжить");
  await heading(page, "Мой доступ");
  await follow(page, "Аккаунты");
  await press(page, "Новый аккаунт");
  await page.getByRole("dialog").getByLabel("Название").fill("Второй магазин");
  await page.getByRole("dialog").getByRole("button", { name: "Новый аккаунт" }).click();
  await page.getByText("Показывается один раз").first().waitFor();
  const token = (await page.getByRole("dialog").locator("code").first().textContent()) ?? "";
  expect(
    (await fetch(`${stand.url}/v2/channels`, { headers: { authorization: `Bearer ${token}` } })).status,
  ).toBe(200);
  await page.getByRole("dialog").getByRole("button", { name: "Готово" }).click();
  await press(page, "Новый партнёр");
  await page.getByRole("dialog").getByLabel("Эл. почта").fill("reseller@crm.example");
  await page.getByRole("dialog").getByRole("button", { name: "Новый партнёр" }).click();
  await page.getByRole("dialog").getByText("Показывается один раз").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Готово" }).click();
  await press(page, "Новый клиент");
  await page.getByRole("dialog").getByLabel("Название, которое видят люди").fill("Lamps CRM");
  await page.getByRole("dialog").getByLabel("Адреса возврата").fill("https://crm.example/back");
  await page.getByRole("dialog").getByRole("button", { name: "Новый клиент" }).click();
  await page.getByText("https://crm.example/back").waitFor();
  await checkLook(page, "console-accounts");
  const found = page.getByRole("table", { name: "Аккаунты" }).getByRole("link");
  await page.getByRole("searchbox", { name: "Название или id" }).fill("второй");
  await until(async () => (await found.count()) === 1);
  await page.setViewportSize({ width: 1280, height: 800 });
  await follow(page, "Второй магазин");
  await heading(page, "Второй магазин");
  await page.getByRole("button", { name: "Отозвать" }).first().waitFor();
  await checkLook(page, "console-account");
  await page.getByRole("button", { name: "Отозвать" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Отозвать" }).click();
  await page.getByText("отозван").waitFor();

  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel("Аккаунт", { exact: true }).selectOption(String(stand.account.accountId));
  await follow(page, "Выгрузки");
  await press(page, "Выгрузить сообщения");
  await page.getByText("готова").first().waitFor();
  await page.getByRole("button", { name: "Файл" }).first().click();
  await page.getByRole("link", { name: "Скачать" }).waitFor();
  await checkLook(page, "console-exports");

  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel("Аккаунт", { exact: true }).selectOption("");
  await follow(page, "Система");
  await page.getByText("работает").first().waitFor();
  await checkLook(page, "console-system");
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const [part, shown, name] of [
    ["База данных", "Соединения", "database"],
    ["Оповещения", "Пока никто не узнаёт о неполадках", "alerts"],
    ["Настройки", "ALERT_EVERY", "settings"],
    ["Операторы", "anna", "people"],
    ["Журнал изменений", "operator.create", "audit"],
  ] as const) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("navigation", { name: "Части системы" }).getByRole("link", { name: part }).click();
    await page.getByRole("main").getByText(shown).first().waitFor();
    await checkLook(page, `console-system-${name}`);
  }
});

test("Portuguese by the browser and Spanish by choice, each loaded alone", async () => {
  const { page } = await open({ locale: "pt-BR" });
  const { link } = JSON.parse(await runCli(stand, ["operator", "link", "--json"])) as { link: string };
  const languages = new Set<string>();
  page.on("request", (request) => {
    const [, language] = /\/assets\/(en|es|pt|ru)-[^/]+\.js$/.exec(request.url()) ?? [];
    if (language !== undefined) languages.add(language);
  });
  await page.goto(`${stand.url}/app/console${new URL(link).hash}`);
  await heading(page, /Boas-vindas ao console|Configurar o console/);
  await page.getByLabel("Nome", { exact: true }).fill("beatriz");
  await page.getByLabel("Senha", { exact: true }).fill(PASSWORD);
  await press(page, "Continuar");
  await heading(page, "Meu acesso");
  expect(await page.locator("html").getAttribute("lang")).toBe("pt-BR");
  expect([...languages]).toEqual(["pt"]);
  for (const [section, wait] of [
    ["Visão geral", "As últimas 24 horas"],
    ["Webhooks", "Receptores"],
    ["Sistema", "Mensagens a enviar"],
  ] as const) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await follow(page, section);
    await heading(page, section);
    await page.getByText(wait).first().waitFor();
    expect(await findProblems(page, [320, 768]), section).toEqual([]);
  }
  await page.goto(`${stand.url}/app/console#/channels/${stand.account.accountId}/${channelId}`);
  await page.getByText("Registro de trocas", { exact: true }).waitFor();
  await checkLook(page, "console-channel-pt");

  // Chosen by the keyboard, and kept in this browser.
  await page.setViewportSize({ width: 1280, height: 800 });
  await follow(page, "beatriz");
  await page.getByRole("combobox", { name: "Idioma" }).focus();
  await page.keyboard.press("ArrowUp");
  await heading(page, "Mi acceso");
  expect([...languages]).toEqual(["pt", "es"]);
  await page.reload();
  await heading(page, "Mi acceso");
  expect(await page.locator("html").getAttribute("lang")).toBe("es");
  await follow(page, "Canales");
  await follow(page, "Lamps");
  await page.getByText("Registro de intercambios", { exact: true }).waitFor();
  await checkLook(page, "console-channel-es");
});

test("while the service is unavailable the page reports it, keeps its data, and continues automatically", async () => {
  const { page, context, problems } = await open();
  await enter(page, "nina");
  await follow(page, "Channels");
  await page.getByRole("link", { name: "Lamps" }).waitFor();
  await context.route("**/app/api/**", (route) => route.abort());
  await page.getByText("No connection. Trying again…").waitFor();
  await page.getByRole("link", { name: "Lamps" }).waitFor();
  await checkLook(page, "console-offline");
  await context.unroute("**/app/api/**");
  await page
    .getByText("No connection. Trying again…")
    .waitFor({ state: "detached" })
    .catch(() => undefined);
  await page.getByRole("link", { name: "Lamps" }).waitFor();

  // The browser reports failed requests, as it should.
  expect([...new Set(problems.splice(0))]).toEqual(["Failed to load resource: net::ERR_FAILED"]);
  await stand.db.query("delete from operator_sessions");
  await heading(page, "Trunkline console");
  await page.getByText("You were signed out.").waitFor();
  await checkLook(page, "console-signed-out");
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("nina");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press(page, "Sign in");
  await heading(page, "Channels");
  await page.getByRole("link", { name: "Lamps" }).waitFor();
});

test("while the database is away nobody is signed out, and the view goes on when it is back", async () => {
  const { page } = await open();
  await enter(page, "dora");
  await follow(page, "Channels");
  await page.getByRole("link", { name: "Lamps" }).waitFor();
  const reopen = await stand.closeDatabase();
  onTestFinished(reopen);
  await page.getByText("This may be out of date").waitFor();
  await page.getByRole("link", { name: "Lamps" }).waitFor();
  await checkLook(page, "console-database-away");
  await page.setViewportSize({ width: 1280, height: 800 });
  await follow(page, "Webhooks");
  await heading(page, "Webhooks");
  await page.getByText("This could not be loaded.").waitFor();
  await checkLook(page, "console-nothing-loaded");
  await reopen();
  await page.getByText("healthy").first().waitFor();
  await page.getByText("could not").waitFor({ state: "detached" });
  // The node lost its lease, and takes its channels again with the next one.
  await until(
    async () =>
      (
        await stand.db.query(
          "select 1 from channels c join nodes n on n.id = c.owner where n.lease_until > now()",
        )
      ).length > 0,
  );
});

test("nodes that are missing and messages that wait are told, in time and with their remedy", async () => {
  const { page } = await open();
  const shades = await addChannel("Shades");
  await stand.admin("telegram", "POST /faults", {
    bot_id: shades.bot.id,
    method: "sendMessage",
    hang_ms: 60_000,
    times: 30,
  });
  const [{ roles } = { roles: [] }] = await stand.db.query<{ roles: string[] }>("select roles from nodes");
  onTestFinished(async () => {
    await stand.db.query("update nodes set roles = $1", [roles]);
    await stand.admin("telegram", "DELETE /faults");
  });
  for (let n = 0; n < 30; n++) await send(`Waiting ${n}`, shades.channelId);
  await stand.db.query("update send_jobs set created_at = now() - interval '20 minutes'");
  await stand.db.query("update nodes set roles = '{api,jobs}'");
  await enter(page, "gustav");
  await follow(page, "Overview");
  await page.getByText("No node has the role “sessions”").waitFor();
  await page.getByText("No node has the role “delivery”").waitFor();
  await page.getByText("1 chat is waiting although the channel is active").waitFor();
  await checkLook(page, "console-trouble");
  await page.setViewportSize({ width: 1280, height: 800 });
  await follow(page, "System");
  // The connector gives up a hanging request after 30 s: then one message fewer waits.
  const row = page.getByRole("row", { name: /Messages to send/ });
  await until(async () => {
    const [{ count } = { count: "" }] = await stand.db.query<{ count: string }>(
      "select count(*) from send_jobs where channel_id = $1",
      [shades.channelId],
    );
    return Number(count) > 15 && (await row.getByText(count, { exact: true }).count()) > 0;
  });
  await useSink(stand.db, { url: "nats://broker.example:4222 (trunkline)", kinds: ["templateStatus"] });
  onTestFinished(async () => {
    await dropSink(stand.db);
  });
  await recordSinkFailure(stand.db, "connect ECONNREFUSED 192.0.2.7:4222");
  await stand.db.query(
    "update webhook_endpoints set failing_since = now() - interval '20 minutes' where version = 'sink'",
  );
  await page.getByText(/^accepts nothing of \d+ accounts?$/).waitFor();
  await page.getByText("· connect ECONNREFUSED 192.0.2.7:4222").waitFor();
  await checkLook(page, "console-system-queues");
});

test("more than a page of messages, and names as long as they may be", async () => {
  const { page } = await open();
  const name = "Лампы-и-торшеры".repeat(10);
  const bulbs = await addChannel("Bulbs");
  await stand.db.query("update channels set name = $2 where id = $1", [bulbs.channelId, name]);
  await stand.admin("telegram", "POST /load", { bot_id: bulbs.bot.id, users: 1, count: 130, rate: 200 });
  await until(
    async () =>
      (
        await stand.db.query("select 1 from messages where channel_id = $1 and text like 'load %'", [
          bulbs.channelId,
        ])
      ).length >= 130,
  );
  await enter(page, "w".repeat(64));
  await follow(page, "Channels");
  await page.getByRole("link", { name }).waitFor();
  await checkLook(page, "console-channels-long");
  await page.setViewportSize({ width: 1280, height: 800 });
  await follow(page, name);
  await heading(page, name);
  await page.getByText("Exchange log").waitFor();
  await checkLook(page, "console-channel-long");
  await page.setViewportSize({ width: 1280, height: 800 });
  // More than a page of lines between two polls of the log.
  await page.waitForResponse((response) => response.url().includes("/log?"));
  await stand.db.query(
    `insert into channel_log (account_id, channel_id, level, message)
     select $1, $2, 'info', 'line ' || n from generate_series(1, 250) n`,
    [stand.account.accountId, bulbs.channelId],
  );
  await page.getByText("line 1", { exact: true }).waitFor();
  expect(await page.getByText(/^line \d+$/).count()).toBe(250);
  await follow(page, "Messages");
  await page.getByLabel("Account", { exact: true }).selectOption(String(stand.account.accountId));
  const rows = page.getByRole("table", { name: "Messages" }).locator("tbody tr");
  await rows.first().waitFor();
  const first = await rows.count();
  await press(page, "Show more");
  await until(async () => (await rows.count()) > first);
  const links = await rows
    .getByRole("link")
    .evaluateAll((all) => all.map((each) => each.getAttribute("href")));
  expect(new Set(links).size).toBe(links.length);
  // A new message moves another one off the first page, but not out of the list.
  await stand.admin("telegram", "POST /messages", {
    bot_id: bulbs.bot.id,
    user_id: 111,
    text: "One more bulb",
  });
  await page.getByRole("link", { name: "One more bulb" }).waitFor();
  expect(await rows.count()).toBe(links.length + 1);
  await checkLook(page, "console-messages-long");
});

test("a page that the person may not see says so", async () => {
  const { page } = await open();
  await enter(page, "victor", ["--role", "viewer", "--account", String(stand.account.accountId)]);
  await page.goto(`${stand.url}/app/console#/channels/99999999/${channelId}`);
  await page.getByText(/There is no such account/).waitFor();
  await checkLook(page, "console-not-yours");
  await page.setViewportSize({ width: 1280, height: 800 });
  await follow(page, "System");
  await heading(page, "System");
  await page.getByText("operator.create").first().waitFor();
  expect(await page.getByRole("table", { name: "Nodes" }).count()).toBe(0);
  await checkLook(page, "console-system-own");
});

function fromBase32(text: string): Buffer {
  const bits = [...text]
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
