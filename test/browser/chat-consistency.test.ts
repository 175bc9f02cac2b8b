import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { opcode } from "../../sandbox/max/opcode.ts";
import { checkLook, closeWithTest, holdAnswer, openWindow, untilToast } from "./kit/browser.ts";
import {
  chatsLink,
  MARIA,
  openChat,
  openChats,
  openShop,
  type Shop,
  seesOnce,
  until,
  untilIndexed,
  untilStored,
} from "./kit/chat.ts";
import { show, startEmbedder, toldBy } from "./kit/embedder.ts";
import { type BrowserStand, startBrowserStand } from "./kit/stand.ts";

// The chat page when responses are lost or late, the page is loaded anew, or the stream has a gap.

let stand: BrowserStand;
beforeAll(async () => {
  stand = await startBrowserStand();
});
afterAll(() => stand?.close());

/** A customer whose message is stored, with the messenger's own record of what they were sent. */
async function customer(name: string, userId: number): Promise<Shop> {
  const shop = await openShop(stand, name, userId);
  const text = `${name} is here`;
  await shop.write({ text });
  await untilStored(stand, text);
  return shop;
}

/** How often the bot has sent a text, including refused attempts. */
async function timesSent(shop: Shop, text: string): Promise<number> {
  const sent = await shop.sent("sendMessage", 0);
  return sent.filter(({ request }) => request["text"] === text).length;
}

test("Send again sends once, however often it is pressed before a response or after a lost one", async () => {
  const cleo = await customer("Cleo", 6001);
  const { page, problems } = await openChats(stand, MARIA);
  await openChat(page, "Cleo");
  const [log, field] = [page.getByRole("log"), page.getByRole("textbox", { name: "Message" })];
  const write = async (text: string) => {
    await field.fill(text);
    await field.press("Enter");
  };
  const again = (text: string) =>
    log
      .getByRole("article")
      .filter({ has: page.getByText(text, { exact: true }) })
      .getByRole("button", { name: "Send again" });
  await cleo.act("blocks");
  for (const text of ["Pressed twice", "Response lost"]) {
    await write(text);
    await again(text).waitFor();
  }
  await cleo.act("unblocks");
  const failed = await timesSent(cleo, "Pressed twice");

  const pressed = Promise.withResolvers<void>();
  const resending = "**/app/api/messages/*/resend";
  await page.route(resending, async (route) => {
    await pressed.promise;
    await route.continue();
  });
  const responses: string[] = [];
  page.on("response", (response) => response.url().endsWith("/resend") && responses.push(response.url()));
  await again("Pressed twice").dblclick();
  pressed.resolve();
  await until(async () => responses.length === 2);
  await page.unroute(resending);

  await page.route(
    resending,
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await untilToast(page, "No connection to the service.", () => again("Response lost").click());
  await again("Response lost").click();
  await until(async () => responses.length === 3);

  // Messages of a chat are sent in order: what is sent after them proves that no more are coming.
  await write("The end");
  await until(async () => (await timesSent(cleo, "The end")) === 1);
  expect(await timesSent(cleo, "Pressed twice")).toBe(failed + 1);
  expect(await timesSent(cleo, "Response lost")).toBe(failed + 1);
  expect(await log.getByText("Pressed twice", { exact: true }).count()).toBe(2);
  expect(problems.splice(0).filter((problem) => !/net::ERR_FAILED/.test(problem))).toEqual([]);
});

test("a frame that is loaded anew with its used link sends what waits, once the parent has sent a new ticket", async () => {
  const dana = await customer("Dana", 6002);
  const embedder = await startEmbedder();
  onTestFinished(embedder.close);
  const window = await openWindow(stand.browser, { width: 1280 });
  closeWithTest(window);
  const { page } = window;
  await page.goto(`${embedder.origin}/`);
  const link = () => chatsLink(stand, MARIA, { active_chat: { chat_type: "telegram", chat_id: "6002" } });
  const used = await link();
  await show(page, used);
  const chats = page.frameLocator("iframe");
  const [log, field] = [chats.getByRole("log"), chats.getByRole("textbox", { name: "Message" })];
  await page.route("**/app/api/messages", (route) => route.abort());
  await field.fill("Waits for a ticket");
  await field.press("Enter");
  await log.getByText("Waits for a ticket", { exact: true }).waitFor();

  await show(page, used);
  await chats.getByText("This link no longer works").waitFor();
  await until(async () => (await toldBy(page)).some(({ type }) => type === "session.ended"));
  await page.unroute("**/app/api/messages");
  const ticket = new URL(await link()).searchParams.get("ticket") ?? "";
  await page.evaluate(`renew(${JSON.stringify(ticket)})`);
  // The chat that the link names opens by itself, and the next message follows the one that waits.
  await field.fill("Written after it");
  await field.press("Enter");
  await until(async () => (await timesSent(dana, "Written after it")) === 1);
  expect(await timesSent(dana, "Waits for a ticket")).toBe(1);
  await log.getByText("Waits for a ticket", { exact: true }).waitFor();
});

test("a page whose proxy fails for a moment can be tried again", async () => {
  const window = await openWindow(stand.browser, { width: 1280 });
  closeWithTest(window);
  const { page } = window;
  const opening = "**/app/api/chat-sessions";
  await page.route(opening, (route) => route.fulfill({ status: 502, body: "<h1>Bad Gateway</h1>" }), {
    times: 1,
  });
  await page.goto(await chatsLink(stand, MARIA));
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("searchbox", { name: "Name, phone or text" }).waitFor();
});

test("a refused message is still refused after a reload, and is sent only on request", async () => {
  const emma = await customer("Emma", 6003);
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Emma");
  const [log, field] = [page.getByRole("log"), page.getByRole("textbox", { name: "Message" })];
  await page.route(
    "**/app/api/messages",
    (route) => route.fulfill({ status: 400, json: { error: "QUOTA_EXCEEDED", description: "" } }),
    { times: 1 },
  );
  await field.fill("Refused");
  await field.press("Enter");
  const reason = log.getByText("The account has used up its allowance.");
  await reason.waitFor();

  await page.goto(await chatsLink(stand, MARIA));
  await openChat(page, "Emma");
  await reason.waitFor();
  await field.fill("Written after it");
  await field.press("Enter");
  await until(async () => (await timesSent(emma, "Written after it")) === 1);
  expect(await timesSent(emma, "Refused")).toBe(0);
  await log.getByRole("button", { name: "Send again" }).click();
  await until(async () => (await timesSent(emma, "Refused")) === 1);
  await seesOnce(page, "Refused");
});

test("a part of the page whose script cannot be loaded for a while appears later", async () => {
  await customer("Faye", 6030);
  const window = await openWindow(stand.browser, { width: 1280 });
  closeWithTest(window, { faultless: true });
  const { page, problems } = window;
  const failures = [
    (route: Route) => route.abort(),
    (route: Route) => route.fulfill({ status: 502, body: "Bad Gateway" }),
    (route: Route) => route.fulfill({ contentType: "text/html", body: "<h1>Sign in to the network</h1>" }),
  ];
  // Before the page loads it of its own accord.
  await page.route("**/assets/chat-ahead-*.js", (route) => failures.shift()?.(route) ?? route.continue());
  await page.goto(await chatsLink(stand, MARIA));
  await openChat(page, "Faye");
  await page.route("**/app/api/messages", (route) =>
    route.fulfill({ status: 400, json: { error: "QUOTA_EXCEEDED", description: "" } }),
  );
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Refused");
  await field.press("Enter");
  await page.getByRole("log").getByRole("button", { name: "Send again" }).waitFor();
  expect(failures).toEqual([]);
  const unexpected = problems.splice(0).filter((problem) => !/ERR_FAILED|502|400/.test(problem));
  expect(unexpected).toEqual([]);
});

/** Names of the scripts that the page loads with its HTML, and of all others but those of other languages. */
async function scriptsOfPage() {
  const textOf = async (path: string) => (await fetch(new URL(path, stand.url))).text();
  const scriptsIn = (code: string) =>
    [...code.matchAll(/[\w-]+-[\w-]{8}\.js/g)]
      .map(([name]) => name)
      .filter((name) => !/^(es|pt|ru|emoji-names|chat-sticker-player)-/.test(name));
  const opening = new Set(scriptsIn(await textOf("/app/chats")));
  const all = new Set(opening);
  for (const name of all) for (const next of scriptsIn(await textOf(`/app/assets/${name}`))) all.add(next);
  return { opening, later: all.difference(opening) };
}

test("soon after its opening the page has all of its scripts, each transferred once", async () => {
  const { opening, later } = await scriptsOfPage();
  expect(later.size).toBeGreaterThan(10);
  const window = await openWindow(stand.browser, { width: 1280 });
  closeWithTest(window, { faultless: true });
  const { context, page } = window;
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  const transferred: string[] = [];
  const imported = new Set<string>();
  devtools.on("Network.responseReceived", ({ type, response: { url, fromDiskCache } }) => {
    const name = url.split("/").at(-1) ?? "";
    if (!name.endsWith(".js")) return;
    if (fromDiskCache !== true) transferred.push(name);
    if (type === "Script") imported.add(name);
  });
  await page.goto(await chatsLink(stand, MARIA));
  await until(async () => later.isSubsetOf(imported));
  expect(transferred.toSorted()).toEqual([...opening, ...later].toSorted());
});

test("a message is repeated while the service is busy", async () => {
  const olga = await customer("Olga", 6014);
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Olga");
  const busy = { status: 503, headers: { "retry-after": "1" }, json: { error: "UNAVAILABLE" } };
  let refusals = 0;
  await page.route("**/app/api/messages", (route) => {
    refusals += 1;
    return route.fulfill(busy);
  });
  const field = page.getByRole("textbox", { name: "Message" });
  for (const text of ["Patient", "After it"]) {
    await field.fill(text);
    await field.press("Enter");
  }
  await page.getByRole("log").getByText("The service is busy").first().waitFor();
  await until(async () => refusals > 1);
  await page.unroute("**/app/api/messages");
  await until(async () => (await timesSent(olga, "After it")) === 1);
  expect(await timesSent(olga, "Patient")).toBe(1);
  for (const text of ["Patient", "After it"]) await seesOnce(page, text);
});

test("a file is uploaded once, however often its message is refused for a moment", async () => {
  const uma = await customer("Uma", 6019);
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Uma");
  const busy = { status: 503, headers: { "retry-after": "1" }, json: { error: "UNAVAILABLE" } };
  await page.route("**/app/api/messages", (route) => route.fulfill(busy), { times: 2 });
  const uploads: string[] = [];
  page.on("request", (request) => request.url().includes("/app/api/files") && uploads.push(request.method()));
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: "price.txt", mimeType: "text/plain", buffer: Buffer.from("lamps") });
  await page.getByRole("list", { name: "Files to send" }).getByText("price.txt").waitFor();
  await page.getByRole("textbox", { name: "Message" }).press("Enter");
  await uma.sent("sendDocument", 1);
  expect(uploads).toEqual(["POST"]);
});

test("a message that is refused while another chat is open is reported, and its chat marked", async () => {
  await customer("Tamara", 6015);
  await customer("Quinn", 6016);
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Tamara");
  // Then it is read: the mark of a failure comes after that of unread messages.
  await seesOnce(page, "Tamara is here");
  const left = Promise.withResolvers<void>();
  await page.route("**/app/api/messages", async (route) => {
    await left.promise;
    await route.fulfill({ status: 400, json: { error: "QUOTA_EXCEEDED", description: "" } });
  });
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Refused meanwhile");
  await field.press("Enter");
  await openChat(page, "Quinn");
  await untilToast(page, "Not sent. The account has used up its allowance.", left.resolve);
  const row = page.locator("[data-row]").filter({ hasText: "Tamara" });
  await row.getByText("Failed").waitFor();
  await openChat(page, "Tamara");
  await page.getByRole("log").getByRole("button", { name: "Cancel" }).click();
  await row.getByText("Failed").waitFor({ state: "detached" });
});

test("a message that was stored is not kept as refused, whatever the response says", async () => {
  const rosa = await customer("Rosa", 6017);
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Rosa");
  await page.route("**/app/api/messages", async (route) => {
    await route.fetch();
    await route.fulfill({ status: 400, json: { error: "QUOTA_EXCEEDED", description: "" } });
  });
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Stored all the same");
  await field.press("Enter");
  await until(async () => (await timesSent(rosa, "Stored all the same")) === 1);
  const kept = () => page.evaluate("Object.values(sessionStorage).join()");
  await until(async () => !String(await kept()).includes("Stored all the same"));
  await seesOnce(page, "Stored all the same");
});

test("a message that is sent while the agent reads the history is shown at once", async () => {
  const sven = await customer("Sven", 6018);
  for (let line = 1; line <= 110; line++) await sven.write({ text: `Line ${line}` });
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Sven");
  await page.getByRole("log").getByText("Line 110", { exact: true }).waitFor();
  await untilIndexed(stand);
  await page.getByRole("searchbox", { name: "Name, phone or text" }).fill("Sven is");
  await page.getByRole("region", { name: "Messages" }).getByText("Sven is here").click();
  await page.getByRole("log").getByText("Sven is here").waitFor();
  // Newer history does not load.
  await page.route("**/messages?*after=*", (route) => route.abort());
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Sent from the past");
  await field.press("Enter");
  await seesOnce(page, "Sent from the past");
});

test("why a message was refused is shown in words, though the page had not loaded these yet", async () => {
  await customer("Zara", 6013);
  const window = await openWindow(stand.browser, { width: 1280 });
  closeWithTest(window, { faultless: true });
  const { page } = window;
  const reason = "The account has used up its allowance.";
  const released = Promise.withResolvers<void>();
  await page.route("**/assets/en-*.js", async (route) => {
    const response = await route.fetch();
    if ((await response.text()).includes(reason)) await released.promise;
    await route.fulfill({ response });
  });
  await page.goto(await chatsLink(stand, MARIA));
  await openChat(page, "Zara");
  const refused = page.waitForResponse("**/app/api/messages");
  await page.route("**/app/api/messages", (route) =>
    route.fulfill({ status: 400, json: { error: "QUOTA_EXCEEDED", description: "" } }),
  );
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Refused");
  await field.press("Enter");
  await (await refused).finished();
  released.resolve();
  await page.getByRole("log").getByText(reason).waitFor();
});

test("a chat that was opened before shows what can be sent now", async () => {
  const finn = await customer("Finn", 6004);
  await customer("Gina", 6005);
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Finn");
  await openChat(page, "Gina");
  await stand.api("DELETE", `/v2/channels/${finn.channelId}`);
  await page.getByRole("navigation").getByRole("button", { name: /^Finn/ }).click();
  await page.getByText("The channel of this conversation was removed. It can only be read.").waitFor();
});

test("after a gap in the stream, the open chat shows what can be sent now", async () => {
  await customer("Ivan", 6006);
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Ivan");
  await page.getByRole("button", { name: "Buttons under the message" }).waitFor();
  await page.route("**/app/api/chats/*/abilities", async (route) => {
    const response = await route.fetch();
    const json = { ...(await response.json()), can_send: false, why_not: "blocked" };
    await route.fulfill({ response, json });
  });
  // The service asks all pages to reload.
  await stand.api("DELETE", "/v2/chats/unanswered");
  await page.getByText("The messenger has blocked the channel.").waitFor();
  await page.unrouteAll({ behavior: "wait" });
});

test("what is loaded after a gap in the stream is shown, although a message is sent meanwhile", async () => {
  await customer("Wim", 6020);
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Wim");
  const [asked, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route("**/app/api/chats/*/messages?*", async (route) => {
    const response = await route.fetch();
    asked.resolve();
    await sent.promise;
    await route.fulfill({ response, body: (await response.text()).replace("Wim is here", "Wim was here") });
  });
  // The service asks all pages to reload.
  await stand.api("DELETE", "/v2/chats/unanswered");
  await asked.promise;
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Sent meanwhile");
  await field.press("Enter");
  await page.getByRole("log").getByText("Sent meanwhile", { exact: true }).waitFor();
  sent.resolve();
  await seesOnce(page, "Wim was here");
  await seesOnce(page, "Sent meanwhile");
});

test("a clock that is fast does not make the page request the end of the messenger's window all the time", async () => {
  const hugo = await customer("Hugo", 6007);
  const { page } = await openChats(stand, MARIA);
  let requests = 0;
  await page.route("**/app/api/chats/*/abilities", async (route) => {
    requests += 1;
    const response = await route.fetch();
    const ends_at = new Date(Date.now() - 3_600_000).toISOString();
    const window = { ends_at, is_open: true, code: "24_HOURS_EXCEEDED" };
    await route.fulfill({ response, json: { ...(await response.json()), window } });
  });
  await page.clock.install();
  await openChat(page, "Hugo");
  await page.getByRole("button", { name: "Buttons under the message" }).waitFor();
  await page.clock.runFor(30_000);
  // Meanwhile there is time for many requests.
  await page.getByRole("textbox", { name: "Message" }).fill("Still open");
  await page.keyboard.press("Enter");
  await until(async () => (await timesSent(hugo, "Still open")) === 1);
  expect(requests).toBeLessThanOrEqual(2);
  const before = requests;
  await page.clock.runFor(60_000);
  await until(async () => requests > before);
  await page.unrouteAll({ behavior: "wait" });
});

test("after a gap in the stream, chats that were answered meanwhile are not listed as unanswered", async () => {
  await customer("Jane", 6008);
  await customer("Kate", 6009);
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Jane");
  await page.getByRole("button", { name: /^Unanswered/ }).click();
  const rows = page.getByRole("navigation").getByRole("button");
  await rows.filter({ hasText: "Kate" }).waitFor();
  await stand.api("DELETE", "/v2/chats/unanswered");
  await page.getByText("Every customer has an answer").waitFor();
  await page.getByRole("heading", { name: "Jane" }).waitFor();
  await page.getByRole("button", { name: "All", exact: true }).click();
  for (const name of ["Jane", "Kate"]) await rows.filter({ hasText: name }).waitFor();
});

test("pressing a search hit keeps what the stream has reported of the chat since the search", async () => {
  const leo = await customer("Leo", 6010);
  const mia = await customer("Mia", 6011);
  const { page } = await openChats(stand, MARIA);
  for (const name of ["Leo", "Mia"]) await openChat(page, name);
  const search = page.getByRole("searchbox", { name: "Name, phone or text" });
  const row = page.locator("[data-row]").filter({ hasText: "Leo" });
  const hit = page.getByRole("region", { name: "Messages" }).getByText("Leo is here");
  await untilIndexed(stand);
  await search.fill("Leo");
  await hit.waitFor();
  const recipient = { chat_type: "telegram", chat_id: "6010" };
  await stand.api("POST", "/v2/messages", { channel_id: leo.channelId, recipient, text: "Sent elsewhere" });
  await until(async () => (await timesSent(leo, "Sent elsewhere")) === 1);
  await until(async () => {
    const sent = await stand.db.query(
      "select 1 from messages where text = 'Sent elsewhere' and status = 'sent'",
    );
    return sent.length === 1;
  });
  await row.getByText("Sent elsewhere").waitFor();
  // The stream is in order: nothing of the other message follows this one.
  await mia.write({ text: "I am the last" });
  await seesOnce(page, "I am the last");

  await hit.click();
  await page.getByRole("heading", { name: "Leo" }).waitFor();
  await seesOnce(page, "Sent elsewhere");
  expect(await row.getByText("Sent elsewhere").count()).toBe(1);
});

test("the number of unanswered messages follows each message", async () => {
  await stand.api("POST", "/v3/users", [{ id: "maria", name: "Maria" }]);
  await stand.api("DELETE", "/v2/chats/unanswered");
  const { page } = await openChats(stand, MARIA);
  const nora = await customer("Nora", 6012);
  // The customer has started the bot, and has written.
  await page.getByRole("button", { name: "Unanswered 2", exact: true }).waitFor();
  await nora.write({ text: "Is anyone there?" });
  await page.getByRole("button", { name: "Unanswered 3", exact: true }).waitFor();
});

test("messages that the list brings before the stream are counted as unanswered, also after a failed count", async () => {
  await stand.api("POST", "/v3/users", [{ id: "maria", name: "Maria" }]);
  await stand.api("DELETE", "/v2/chats/unanswered");
  const window = await openWindow(stand.browser, {});
  closeWithTest(window, { faultless: true });
  const { page, problems } = window;
  const [written, counted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const after = (moment: Promise<void>) => async (route: Route) => {
    await moment;
    await route.continue();
  };
  await page.route("**/app/api/chats?*", after(written.promise));
  await page.route("**/app/stream*", after(counted.promise));
  await page.route("**/app/api/unanswered", (route) => route.abort(), { times: 1 });
  await page.goto(await chatsLink(stand, MARIA));
  await customer("Nell", 6014);
  written.resolve();
  await page.getByRole("button", { name: "Unanswered 2", exact: true }).waitFor();
  counted.resolve();
  expect(problems.splice(0).filter((problem) => !problem.includes("net::ERR_FAILED"))).toEqual([]);
});

test("a file that was deleted after it was chosen is reported, and what is written after it is sent", async () => {
  const omar = await customer("Omar", 6013);
  const directory = await mkdtemp(join(tmpdir(), "trunkline-chosen-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, "price.txt");
  await writeFile(file, "lamps");
  const { page, problems } = await openChats(stand, MARIA);
  await openChat(page, "Omar");
  // Then the page knows that a text goes with a file; until then it sends both by themselves.
  await page.getByRole("button", { name: "Buttons under the message" }).waitFor();
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.getByRole("list", { name: "Files to send" }).getByText("price.txt").waitFor();
  await rm(file);
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("The prices");
  await page.keyboard.press("Enter");
  await field.fill("See the list");
  await page.keyboard.press("Enter");
  const alert = page.getByRole("log").getByRole("alert");
  await alert.getByText("price.txt was changed, moved or deleted after it was chosen").waitFor();
  await until(async () => (await timesSent(omar, "See the list")) === 1);
  await checkLook(page, "chat-file-changed");
  await page.setViewportSize({ width: 1280, height: 800 });
  await alert.getByRole("button", { name: "Cancel" }).click();
  await alert.waitFor({ state: "hidden" });
  expect(await field.inputValue()).toBe("The prices");
  expect(
    problems.splice(0).filter((problem) => !/net::ERR_(FILE_NOT_FOUND|UPLOAD_FILE_CHANGED)/.test(problem)),
  ).toEqual([]);
});

const SHOP_PHONE = "79993330001";

/** Connects the shop's MAX account, which writes to people by phone. */
async function connectMax(): Promise<void> {
  await stand.admin("max", "POST /people", { phone: SHOP_PHONE, name: "Shop" });
  await stand.api("POST", "/v2/channels", { transport: "max", credentials: {} });
  const shownQr = async () => {
    const { items } = await stand.admin<{ items: { detail: string }[] }>("max", "GET /events?event=qr");
    return items.at(-1)?.detail;
  };
  await until(async () => (await shownQr()) !== undefined);
  await stand.admin("max", `POST /people/${SHOP_PHONE}/scans`, { qr: await shownQr() });
  await until(async () => {
    const { data } = await stand.api<{ data: Record<string, string>[] }>("GET", "/v2/channels");
    return data.some(({ transport, status }) => transport === "max" && status === "active");
  });
}

const inMax = (phone: string, action: string, body: object) =>
  stand.admin("max", `POST /people/${phone}/${action}`, body);

/** The texts of a person's dialog with the shop, as shown on their phone. */
async function textsAt(phone: string): Promise<readonly string[]> {
  const path = `GET /people/${phone}/chats/${SHOP_PHONE}/messages`;
  return (await stand.admin<{ items: { text: string }[] }>("max", path)).items.map(({ text }) => text);
}

async function openNewChat(page: Page, phone: string): Promise<void> {
  await page.getByRole("button", { name: "New chat" }).click();
  const dialog = page.getByRole("dialog", { name: "New chat" });
  await dialog.getByLabel("Phone number").fill(phone);
  await dialog.getByRole("button", { name: "Write" }).click();
  await page.getByText("No messages yet").waitFor();
}

describe("chats by phone", () => {
  beforeAll(connectMax);

  test("a message to a person who has a chat already moves there, with what is typed meanwhile", async () => {
    const petra = "79993330002";
    await stand.admin("max", "POST /people", { phone: petra, name: "Petra" });
    await inMax(petra, "messages", { to: SHOP_PHONE, text: "Petra is here" });
    const { page } = await openChats(stand, MARIA);
    const rows = page.locator("[data-row]");
    await rows.filter({ hasText: "Petra" }).waitFor();
    // Messengers do not report every person's number.
    await stand.db.query("update chats set phone = null where chat_type = 'max'");
    await stand.admin("max", "POST /faults", { opcode: opcode.msgSend, phone: SHOP_PHONE, hang_ms: 3_000 });
    const [log, field] = [page.getByRole("log"), page.getByRole("textbox", { name: "Message" })];
    await openNewChat(page, petra);
    await field.fill("Shall I call you?");
    await field.press("Enter");
    await log.getByText("Shall I call you?").waitFor();
    await field.fill("Typed meanwhile");

    await page.getByRole("heading", { name: "Petra" }).waitFor();
    for (const text of ["Petra is here", "Shall I call you?"]) await seesOnce(page, text);
    expect(await field.inputValue()).toBe("Typed meanwhile");
    await until(async () => (await rows.filter({ hasText: "Shall I call you?" }).count()) === 1);
    await field.press("Enter");
    await until(async () => (await textsAt(petra)).includes("Typed meanwhile"));
    await seesOnce(page, "Typed meanwhile");
    await until(async () => (await page.getByRole("img", { name: "Waiting to be sent" }).count()) === 0);
  });

  test("a text that the service stores in another chat of the person opens that chat", async () => {
    const yuri = "79993330003";
    await stand.admin("max", "POST /people", { phone: yuri, name: "Yuri" });
    await inMax(yuri, "blocks", { phone: SHOP_PHONE });
    const { page } = await openChats(stand, MARIA);
    const [log, field] = [page.getByRole("log"), page.getByRole("textbox", { name: "Message" })];
    await openNewChat(page, yuri);
    await field.fill("Refused by Yuri");
    await field.press("Enter");
    await log.getByRole("button", { name: "Send again" }).waitFor();
    await inMax(yuri, "unblocks", { phone: SHOP_PHONE });
    await inMax(yuri, "messages", { to: SHOP_PHONE, text: "Yuri is here" });
    await page.locator("[data-row]").filter({ hasText: "Yuri is here" }).waitFor();
    await stand.db.query("update chats set phone = $1 where name = 'Yuri'", [yuri]);

    await field.fill("Welcome back");
    await field.press("Enter");
    await page.getByRole("heading", { name: "Yuri" }).waitFor();
    for (const text of ["Yuri is here", "Welcome back"]) await seesOnce(page, text);
  });

  test("a first message that was stored opens its chat, whatever the response says", async () => {
    const vera = "79993330005";
    await stand.admin("max", "POST /people", { phone: vera, name: "Vera" });
    const { page } = await openChats(stand, MARIA);
    await openNewChat(page, vera);
    await page.route(
      "**/app/api/messages",
      async (route) => {
        await route.fetch();
        await route.fulfill({ status: 503, body: "<h1>Service Unavailable</h1>" });
      },
      { times: 1 },
    );
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("Good day, Vera");
    await field.press("Enter");
    await page.locator('[data-row][aria-current="true"]').getByText("Good day, Vera").waitFor();
    await seesOnce(page, "Good day, Vera");
  });

  test("what waits when a new chat becomes known goes on there: a refused text, a file and the draft", async () => {
    const ruth = "79993330004";
    await stand.admin("max", "POST /people", { phone: ruth, name: "Ruth" });
    const { page } = await openChats(stand, MARIA);
    const [log, field] = [page.getByRole("log"), page.getByRole("textbox", { name: "Message" })];
    await openNewChat(page, ruth);
    const sending = "**/app/api/messages";
    const refusal = { status: 400, json: { error: "QUOTA_EXCEEDED", description: "" } };
    await page.route(sending, (route) => route.fulfill(refusal), { times: 1 });
    const first = await holdAnswer(page, "POST", sending);
    for (const text of ["First", "Second"]) {
      await field.fill(text);
      await field.press("Enter");
    }
    const file = { name: "price.txt", mimeType: "text/plain", buffer: Buffer.from("lamps") };
    await page.locator('input[type="file"]').setInputFiles([file]);
    await field.fill("Third");
    await first.answered;
    await first.release();

    await log.getByText("The account has used up its allowance.").waitFor();
    for (const text of ["First", "Second"]) await seesOnce(page, text);
    await page.getByRole("list", { name: "Files to send" }).getByText("price.txt").waitFor();
    expect(await field.inputValue()).toBe("Third");
    await log.getByRole("button", { name: "Send again" }).click();
    await until(async () => (await textsAt(ruth)).includes("Second"));
    await field.press("Enter");
    await until(async () => (await textsAt(ruth)).includes("Third"));
    expect((await textsAt(ruth)).filter((text) => text !== "")).toEqual(["First", "Second", "Third"]);
  });
});
