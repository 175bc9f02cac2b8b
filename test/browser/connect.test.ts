import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readQr } from "../../sandbox/qr-reader.ts";
import { checkLook, closeWithTest, findProblems, holdAnswer, openWindow, untilToast } from "./kit/browser.ts";
import { scanCode } from "./kit/scan.ts";
import { type BrowserStand, runCli, startBrowserStand } from "./kit/stand.ts";

let stand: BrowserStand;
beforeAll(async () => {
  stand = await startBrowserStand();
});
afterAll(() => stand?.close());

/** Opens the page of a new link in a new window. Any console error fails the test. */
async function open(
  options: {
    readonly transport?: string;
    readonly channel_id?: string;
    readonly refresh_url?: string;
    readonly return_url?: string;
    readonly locale?: string;
  } = {},
) {
  const { locale, ...of } = options;
  const window = await openWindow(stand.browser, locale === undefined ? {} : { locale });
  closeWithTest(window, { faultless: true });
  await window.page.goto(await stand.channelsLink(of));
  return window;
}
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name }).waitFor();
/** The step at which the page says that it is. */
const step = (page: Page, name: string) =>
  page.locator("[aria-current=step]").getByText(name, { exact: true }).waitFor();
const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();

async function channelOf(page: Page, transport: string): Promise<Record<string, string>> {
  await heading(page, "Connected");
  const { data } = await stand.api<{ data: Record<string, string>[] }>("GET", "/v2/channels");
  const found = data.findLast((each) => each["transport"] === transport && each["status"] === "active");
  if (found === undefined) throw new Error(`no active channel of ${transport}`);
  return found;
}

/** The text of the code on the page, as soon as it differs from `before`. */
async function shownQr(page: Page, before = ""): Promise<string> {
  const image = page.getByRole("img", { name: "QR code to scan" });
  return vi.waitUntil(
    async () => {
      const source = await image.getAttribute("src");
      const text = source === null ? "" : readQr(source);
      return text === before || text === "" ? undefined : text;
    },
    { timeout: 90_000, interval: 200 },
  );
}

test("Telegram: a bot's token, from choosing the messenger to the end; a revoked token is replaced", async () => {
  const { token } = await stand.admin<{ token: string }>("telegram", "POST /bots", { name: "Shop" });
  const { page } = await open();
  await heading(page, "Connect a messenger");
  await page.getByText("Shop asks you to connect a messenger").waitFor();
  await step(page, "Messenger");
  await checkLook(page, "connect-choose");
  await press(page, "Telegram bot");
  await heading(page, "Connect Telegram bot");
  await step(page, "Connect");
  await checkLook(page, "connect-token");
  const field = page.getByLabel("Bot token", { exact: true });

  await press(page, "Connect");
  await page.getByText("Fill this in").waitFor();
  await field.fill("not a token");
  await press(page, "Connect");
  await page.getByText("This does not look right").waitFor();
  await field.fill("1234567:AAAA-wrong-token-of-nobody-000000000");
  await press(page, "Connect");
  await page.getByText("The messenger does not accept this").waitFor();
  await checkLook(page, "connect-refused");
  // With the keyboard only.
  await field.focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(token);
  await page.keyboard.press("Enter");
  const { channel_id: id = "" } = await channelOf(page, "telegram");
  await step(page, "Test");
  await checkLook(page, "connect-done");
  await tryOut(page, id, Number(token.split(":")[0]));
  await checkLook(page, "connect-tried");

  const name = page.getByLabel("Name of this channel", { exact: true });
  expect(await name.inputValue()).toBe("Shop");
  await name.fill(" ");
  await press(page, "Save");
  await page.getByText("Fill this in").waitFor();
  await name.fill("Shop in Lisbon");
  await untilToast(page, "Name saved", () => page.keyboard.press("Enter"));
  await page.getByRole("paragraph").getByText("Shop in Lisbon", { exact: true }).waitFor();
  expect((await channelOf(page, "telegram"))["name"]).toBe("Shop in Lisbon");

  await stand.admin("telegram", `POST /bots/${token.split(":")[0]}/revocations`, {}).catch(() => undefined);
  const again = await open({ channel_id: id });
  await heading(again.page, "This channel works");
  expect(await again.page.getByLabel("Name of this channel").inputValue()).toBe("Shop in Lisbon");
  await checkLook(again.page, "connect-works");
});

/** A customer writes to the bot and is answered; the page notices both. */
async function tryOut(page: Page, channelId: string, bot: number): Promise<void> {
  const seen = page.getByRole("status");
  await stand.admin("telegram", `POST /bots/${bot}/users/111/start`, {});
  await seen.filter({ hasText: /A message arrived at .* Receiving works/ }).waitFor();
  expect(await seen.filter({ hasText: "Sending works" }).count()).toBe(0);
  await stand.api("POST", "/v3/message", { channelId, chatType: "telegram", chatId: "111", text: "Welcome" });
  await seen.filter({ hasText: /An answer was sent at .* Sending works/ }).waitFor();
}

test.each([
  [
    "es-ES",
    "es",
    "Conectar un mensajero",
    "Bot de Telegram",
    "Token del bot",
    "Conectar",
    "Rellene este campo",
  ],
  [
    "pt-BR",
    "pt-BR",
    "Conectar um mensageiro",
    "Bot do Telegram",
    "Token do bot",
    "Conectar",
    "Preencha este campo",
  ],
])("in %s, from the browser's language", async (locale, lang, title, messenger, field, connect, required) => {
  const { token } = await stand.admin<{ token: string }>("telegram", "POST /bots", { name: locale });
  const { page } = await open({ locale });
  await heading(page, title);
  expect(await page.getAttribute("html", "lang")).toBe(lang);
  await checkLook(page, `connect-choose-${lang}`);
  await press(page, messenger);
  await page.getByRole("button", { name: connect, exact: true }).click();
  await page.getByText(required).waitFor();
  await page.getByLabel(field, { exact: true }).fill(token);
  await page.keyboard.press("Enter");
  await heading(page, "Conectado");
  await page.getByRole("heading", { level: 2 }).waitFor();
  await checkLook(page, `connect-done-${lang}`);
});

test("a link that was used leads to the address where the company gives a new one", async () => {
  const refresh_url = `${stand.url}/?refresh`;
  const return_url = `${stand.url}/?return`;
  const { page } = await open({ refresh_url, return_url, transport: "telegram" });
  await step(page, "Connect");
  const used = page.url();
  const { token } = await stand.admin<{ token: string }>("telegram", "POST /bots", { name: "Returning" });
  await page.getByLabel("Bot token", { exact: true }).fill(token);
  await press(page, /^Connect$/);
  await heading(page, "Connected");
  const back = page.getByRole("link", { name: `Back to ${new URL(stand.url).host}` });
  expect(await back.getAttribute("href")).toBe(return_url);

  const other = await openWindow(stand.browser);
  closeWithTest(other);
  await other.page.goto(used);
  await heading(other.page, "This link no longer works");
  await other.page.getByText("Ask Shop for a new one").waitFor();
  await other.page.getByText(`Opens ${new URL(stand.url).host}`).waitFor();
  await checkLook(other.page, "connect-used");
  // By keyboard alone.
  await other.page.keyboard.press("Tab");
  await Promise.all([other.page.waitForURL(refresh_url), other.page.keyboard.press("Enter")]);
});

test("going back while a channel is being connected keeps what is typed elsewhere", async () => {
  const { token } = await stand.admin<{ token: string }>("telegram", "POST /bots", { name: "Left" });
  const { page } = await open();
  await press(page, "Telegram bot");
  await page.getByLabel("Bot token", { exact: true }).fill(token);
  const connected = await holdAnswer(page, "POST", "**/app/api/channels");
  await press(page, "Connect");
  await connected.answered;
  await press(page, "Other messenger");
  await press(page, "MAX bot");
  await heading(page, "Connect MAX bot");
  await page.getByLabel("Bot token", { exact: true }).fill("half a tok");
  await connected.release();
  expect(await page.getByRole("heading").allTextContents()).toContain("Connect MAX bot");
  expect(await page.getByLabel("Bot token", { exact: true }).inputValue()).toBe("half a tok");
});

test("WhatsApp: a QR code that is renewed automatically, on another person's phone", async () => {
  const phone = "79995550001";
  await stand.admin("whatsapp", "POST /people", { phone, name: "Ann" });
  const { page, context } = await open({ transport: "whatsapp" });
  await heading(page, "Scan this code with WhatsApp");
  const first = await shownQr(page);
  await page.getByLabel("Load earlier messages").selectOption("90 days");
  // The phone is asked when it scans, by a new code.
  await shownQr(page, first);
  expect(await page.getByLabel("Load earlier messages").inputValue()).toBe("90");
  await page.getByText("Tap ⋮ at the top right").waitFor();
  await press(page, "iPhone");
  await page.getByText("Tap Settings at the bottom right").waitFor();
  expect(await page.getByRole("button", { name: "iPhone" }).getAttribute("aria-pressed")).toBe("true");
  await page.getByText(/New code in \d+ seconds?/).waitFor();
  await checkLook(page, "connect-qr");

  await press(page, "Someone else has the phone");
  await page.getByRole("dialog").waitFor();
  expect(await findProblems(page)).toEqual([]);
  const link = (await page.getByRole("dialog").locator("p").nth(1).textContent()) ?? "";
  await page.keyboard.press("Escape");
  const other = await context.newPage();
  await other.goto(link);
  // The code is renewed between two looks at times.
  await vi.waitUntil(async () => (await shownQr(other)) === (await shownQr(page)));

  await scanCode(stand, page.getByRole("img", { name: "QR code to scan" }), phone);
  expect(await channelOf(page, "whatsapp")).toMatchObject({ phone });
  await page
    .getByRole("status")
    .filter({ hasText: /earlier messages/i })
    .waitFor();
  await heading(page, "What comes next");
  const chat = page.getByRole("link", { name: "Open the chat to write to" });
  expect(await chat.getAttribute("href")).toBe(`https://wa.me/${phone}`);
  await checkLook(page, "connect-done-whatsapp");
  await heading(other, /Connected|This channel works/);
});

test("WhatsApp: a pairing code entered on the phone, in Russian", async () => {
  const phone = "79995550002";
  await stand.admin("whatsapp", "POST /people", { phone, name: "Борис" });
  const { page } = await open({ transport: "whatsapp", locale: "ru-RU" });
  await heading(page, "Отсканируйте код");
  await press(page, "Ввести код вместо QR");
  const field = page.getByLabel("Номер телефона");
  await field.fill("12");
  await press(page, "Получить код");
  await page.getByRole("alert").filter({ hasText: /\S/ }).waitFor();
  await field.fill("+7 (999) 555-00-02");
  await press(page, "Получить код");
  const code = page.locator("output");
  await code.waitFor();
  await checkLook(page, "connect-pairing");
  const text = ((await code.textContent()) ?? "").replace("-", "");
  await stand.admin("whatsapp", `POST /people/${phone}/codes`, { code: text });
  await heading(page, "Подключено");
  expect(await page.getAttribute("html", "lang")).toBe("ru");
});

test("VK: a community's key; and signing in, with a choice of communities", async () => {
  const { id } = await stand.admin<{ id: number }>("vk", "POST /communities", {
    owner_id: 100,
    name: "Lamps",
  });
  const { token } = await stand.admin<{ token: string }>("vk", "POST /tokens", { group_id: id });
  const { page } = await open({ transport: "vk" });
  await press(page, "Continue with VK").catch(() => undefined);
  await page.getByText("Or connect with keys of your own").click();
  await checkLook(page, "connect-keys");
  await page.getByLabel("Community key", { exact: true }).fill(token);
  await press(page, "Connect");
  await channelOf(page, "vk");

  await stand.admin("vk", "POST /communities", { owner_id: 100, name: "Chairs" });
  const second = await open({ transport: "vk" });
  const back = await signIn(second.page, "Continue with VK");
  await heading(back, "Connect VK?");
  await checkLook(back, "connect-question");
  await press(back, /^Connect$/);
  await heading(back, "Which community?");
  await checkLook(back, "connect-community");
  await press(back, "Chairs");
  await back.getByRole("button", { name: "Allow" }).click();
  await heading(back, "Connected");
  await heading(second.page, "Connected");
});

test("Avito: signing in; a refused consent is reported", async () => {
  const { page } = await open({ transport: "avito" });
  await page.getByRole("button", { name: "Continue with Avito" }).waitFor();
  await checkLook(page, "connect-sign-in");
  const refused = await signInAtAvito(page, "cancellations");
  await refused.getByText("The messenger was not allowed to connect the account.").waitFor();
  await checkLook(refused, "connect-not-allowed");
  const unwilling = await signInAtAvito(page, "completions");
  await press(unwilling, "Do not connect");
  await heading(unwilling, "Nothing was connected");
  await page.reload();
  const back = await signInAtAvito(page, "completions");
  await heading(back, "Connect Avito?");
  await back.getByText(`Account number ${stand.account.accountId}`).waitFor();
  await press(back, /^Connect$/);
  await heading(back, "Connected");
  await channelOf(page, "avito");
});

test("a person who follows someone else's link to the messenger connects nothing to that account", async () => {
  const theirs = await open({ transport: "avito" });
  const [away] = await Promise.all([
    theirs.context.waitForEvent("page"),
    press(theirs.page, "Continue with Avito"),
  ]);
  await away.getByRole("button", { name: "Allow" }).waitFor();
  const { page } = await open();
  const before = await channelsOf("avito");
  // The address of the messenger's dialog, opened and agreed to in another browser.
  await page.goto(await returnFromAvito("completions"));
  await page.getByText("it was started in another browser").waitFor();
  expect(await channelsOf("avito")).toBe(before);

  // The address where the sign-in starts: the other browser first sees whose it is.
  const started = theirs.page.waitForResponse((response) => response.url().endsWith("/app/api/sign-ins"));
  await theirs.page.reload();
  const { url } = (await (await started).json()) as { url: string };
  await page.goto(url);
  await heading(page, "Connect Avito?");
  await page.getByText(`Account number ${stand.account.accountId}`).waitFor();
  await press(page, "Do not connect");
  await heading(page, "Nothing was connected");
  await page.goto(url);
  await press(page, "Continue with Avito");
  await page.getByRole("button", { name: "Allow" }).waitFor();
});

async function channelsOf(transport: string): Promise<number> {
  const { data } = await stand.api<{ data: Record<string, string>[] }>("GET", "/v2/channels");
  return data.filter((each) => each["transport"] === transport).length;
}

/** Avito redirects to the application's registered address, which is that of a service on the default port. */
async function signInAtAvito(page: Page, decision: "completions" | "cancellations"): Promise<Page> {
  const [away] = await Promise.all([page.context().waitForEvent("page"), press(page, "Continue with Avito")]);
  await away.getByRole("button", { name: "Allow" }).waitFor();
  await away.goto(await returnFromAvito(decision));
  return away;
}

/** The answer to the last dialog. */
async function returnFromAvito(decision: "completions" | "cancellations"): Promise<string> {
  const { items } = await stand.admin<{ items: { id: string }[] }>("avito", "GET /consents");
  const path = `POST /consents/${items.at(-1)?.id}/${decision}`;
  const { redirect_url: url } = await stand.admin<{ redirect_url: string }>("avito", path, {});
  const { pathname, search } = new URL(url);
  return stand.url + pathname + search;
}

test("WhatsApp Business Platform: Meta's Embedded Signup", async () => {
  const { page } = await open({ transport: "wapi" });
  const back = await signIn(page, "Continue with Meta", "Continue");
  await heading(back, "Which number?");
  await back.getByText(`Account number ${stand.account.accountId}`).waitFor();
  await back.getByRole("listitem").getByRole("button").first().click();
  await heading(back, "Connected");
  await channelOf(page, "wapi");
});

/** Opens the messenger's dialog in another window, agrees there, and returns the window that was redirected back. */
async function signIn(page: Page, button: string, answer = "Allow"): Promise<Page> {
  const [away] = await Promise.all([page.context().waitForEvent("page"), press(page, button)]);
  await away.getByRole("button", { name: answer }).click();
  return away;
}

test("each reason of a disabled channel has its own text and one button", async () => {
  const { token } = await stand.admin<{ token: string }>("telegram", "POST /bots", { name: "Reasons" });
  const created = await stand.api<{ data: { channel_id: string }[] }>("POST", "/v2/channels", {
    transport: "telegram",
    credentials: { telegram_token: token },
  });
  const id = created.data[0]?.channel_id ?? "";
  const { page } = await open({ channel_id: id });
  await heading(page, "This channel works");
  const buttons: Record<string, string> = {
    unauthorized: "Connect again",
    qridle: "Try again",
    openelsewhere: "Try again",
    foreignphone: "Try again",
    blocked: "Try again",
    rejected: "Try again",
    not_enough_money: "Check again",
  };
  const setPhoneAway = (away: boolean) =>
    stand.db.query("update channels set phone_unavailable = $2 where id = $1", [id, away]);
  await setPhoneAway(true);
  await page.getByText("has not been online for about two weeks").waitFor();
  await checkLook(page, "connect-phone-away");
  await setPhoneAway(false);
  const restrict = (list: readonly object[]) =>
    stand.db.query("update channels set restrictions = $2 where id = $1", [id, JSON.stringify(list)]);
  const since = "2026-03-01T10:00:00.000Z";
  const restriction = { kind: "new_chats", reason: "No new chats", since, isEstimate: false };
  await restrict([{ ...restriction, endsAt: "2099-03-02T10:00:00.000Z" }]);
  await page.getByText(/does not let this account write to new people.*This ends on .*2099/).waitFor();
  await checkLook(page, "connect-restricted");
  await restrict([]);
  for (const [reason, button] of Object.entries(buttons)) {
    await setStatus(id, "disabled", reason);
    await page.getByRole("button", { name: button, exact: true }).waitFor();
    await vi.waitUntil(
      async () => (await page.getByRole("main").textContent())?.includes(words[reason] ?? "?"),
      {
        interval: 50,
      },
    );
    expect(await page.getByRole("button").count(), reason).toBe(1);
  }
  await checkLook(page, "connect-unpaid");
  await setStatus(id, "disabled", "unauthorized");
  await press(page, "Connect again");
  await page.getByLabel("Bot token", { exact: true }).waitFor();
});

const words: Readonly<Record<string, string>> = {
  unauthorized: "no longer lets us in",
  qridle: "Nobody scanned the code",
  openelsewhere: "another account of the service",
  foreignphone: "another messenger account",
  blocked: "blocked this account",
  rejected: "rejected this account",
  not_enough_money: "not paid",
};

/** Changes the state as the messenger or the operator would; the page gets it within a second. */
async function setStatus(id: string, status: string, reason: string): Promise<void> {
  await stand.db.query("update channels set status = $2, reason = $3 where id = $1", [id, status, reason]);
}

describe("login steps that no emulator has yet", () => {
  test.each([
    ["wait_for_code", "Code from the messenger", "connect-code"],
    ["wait_for_password", "Two-step verification password", "connect-password"],
    ["sync", "Connected. Loading chats", "connect-sync"],
  ])("%s", async (reason, title, name) => {
    const { token } = await stand.admin<{ token: string }>("telegram", "POST /bots", { name: reason });
    const created = await stand.api<{ data: { channel_id: string }[] }>("POST", "/v2/channels", {
      transport: "telegram",
      credentials: { telegram_token: token },
    });
    const id = created.data[0]?.channel_id ?? "";
    const { page } = await open({ channel_id: id });
    await heading(page, "This channel works");
    await setStatus(id, "init", reason);
    await page.getByText(title).first().waitFor();
    await checkLook(page, name);
  });
});

test("a used link, a guessed link and a page without a link are explained", async () => {
  const { page } = await open();
  await heading(page, "Connect a messenger");
  const used = page.url();
  const other = await openWindow(stand.browser);
  closeWithTest(other);
  for (const url of [used, `${stand.url}/app/channels?ticket=guess`, `${stand.url}/app/channels`]) {
    await other.page.goto(url);
    await heading(other.page, "This link no longer works");
  }
  expect(await findProblems(other.page)).toEqual([]);
  // Mobile browsers discard background pages, so the same browser can open the link again.
  await page.reload();
  await heading(page, "Connect a messenger");
});

test("the page reports a lost connection, and continues automatically", async () => {
  const { page, context, problems } = await open();
  await heading(page, "Connect a messenger");
  await press(page, "Telegram bot");
  await context.setOffline(true);
  await page.getByLabel("Bot token", { exact: true }).fill("1234567:AAAA-wrong-token-of-nobody-000000000");
  await press(page, "Connect");
  await page.getByText("No connection. Trying again").waitFor();
  expect(await findProblems(page)).toEqual([]);
  await context.setOffline(false);
  await press(page, "Connect");
  await page.getByText("The messenger does not accept this").waitFor();
  await vi.waitUntil(async () => !(await page.getByText("No connection. Trying again").isVisible()), {
    interval: 50,
  });
  problems.splice(0);
});

describe("in a frame of another site", () => {
  let crm: Server;
  let origin: string;
  let framed = "";
  beforeAll(async () => {
    crm = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<!doctype html><title>CRM</title><script>messages = []; onmessage = (e) => messages.push({ origin: e.origin, ...e.data })</script><iframe title="connect" style="width:100%;height:700px" src="${framed}"></iframe>`,
      );
    });
    await new Promise<void>((resolve) => crm.listen(0, "127.0.0.1", resolve));
    // A different site from the service's, which is at 127.0.0.1.
    origin = `http://localhost:${(crm.address() as AddressInfo).port}`;
  });
  afterAll(() => void crm.close());

  const setFrames = (origins: string) =>
    runCli(stand, ["account", "frames", "--account", String(stand.account.accountId), "--origins", origins]);

  test("works without cookies, and reports to the parent page what was connected", async () => {
    await setFrames(origin);
    framed = await stand.channelsLink({ transport: "telegram" });
    const { token } = await stand.admin<{ token: string }>("telegram", "POST /bots", { name: "Framed" });
    const window = await openWindow(stand.browser);
    const { page, problems } = window;
    closeWithTest(window);
    await page.goto(origin);
    const frame = page.frameLocator("iframe");
    await frame.getByLabel("Bot token", { exact: true }).fill(token);
    await frame.getByRole("button", { name: "Connect" }).click();
    await frame.getByRole("heading", { name: "Connected" }).waitFor();
    await vi.waitUntil(() => page.evaluate("messages.length > 0"), { interval: 50 });
    expect(await page.evaluate("messages")).toEqual([
      {
        origin: stand.url,
        source: "trunkline",
        version: 1,
        type: "channel.connected",
        channelId: expect.any(String),
        transport: "telegram",
      },
    ]);
    expect(await window.context.cookies()).toEqual([]);
    expect(problems).toEqual([]);

    // The link is used up: the page requests another one, and accepts it from this origin.
    await page.reload();
    await frame.getByRole("heading", { name: "This link no longer works" }).waitFor();
    await vi.waitUntil(
      async () => JSON.stringify(await page.evaluate("messages")).includes("session.ended"),
      {
        interval: 50,
      },
    );
    const fresh = new URL(await stand.channelsLink({ transport: "telegram" })).searchParams.get("ticket");
    await page.evaluate(
      `document.querySelector("iframe").contentWindow.postMessage({ type: "trunkline.ticket", ticket: ${JSON.stringify(fresh)} }, "*")`,
    );
    await frame.getByLabel("Bot token", { exact: true }).waitFor();
  });

  test("signs in at a messenger in a window of its own, which has the cookie that the frame has not", async () => {
    await setFrames(origin);
    await stand.admin("vk", "POST /communities", { owner_id: 100, name: "Framed lamps" });
    framed = await stand.channelsLink({ transport: "vk" });
    const window = await openWindow(stand.browser);
    closeWithTest(window);
    await window.page.goto(origin);
    const button = window.page.frameLocator("iframe").getByRole("button", { name: "Continue with VK" });
    const [away] = await Promise.all([window.context.waitForEvent("page"), button.click()]);
    await away.getByRole("button", { name: "Allow" }).click();
    await press(away, /^Connect$/);
    await heading(away, "Which community?");
  });

  test("is not shown on a site that is not allowed", async () => {
    await setFrames("https://crm.example");
    framed = await stand.channelsLink();
    const window = await openWindow(stand.browser);
    closeWithTest(window);
    await window.page.goto(origin);
    const frame = window.page.frameLocator("iframe");
    await frame.getByRole("heading", { name: "This site may not show the page" }).waitFor();
    expect(await frame.getByRole("heading").count()).toBe(1);
    expect(await frame.locator("code").first().textContent()).toBe(origin);
    await setFrames("any");
  });
});
