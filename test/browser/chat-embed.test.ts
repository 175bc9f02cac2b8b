import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { closeWithTest, openWindow } from "./kit/browser.ts";
import { chatsLink, MARIA, openShop, type Shop, until, untilStored } from "./kit/chat.ts";
import { blockForeignCookies } from "./kit/embedder.ts";
import { storeChats } from "./kit/history.ts";
import { type Host, startHost } from "./kit/host.ts";
import { type BrowserStand, runCli, startBrowserStand } from "./kit/stand.ts";

// The element `<trunkline-chat>` in a page of another site.

let stand: BrowserStand;
let shop: Shop;
let host: Host;
beforeAll(async () => {
  stand = await startBrowserStand({}, { microphone: "allowed" });
  shop = await openShop(stand, "Vera", 7301);
  await shop.write({ text: "Hello" });
  await untilStored(stand, "Hello");
  host = await startHost((chat) =>
    chatsLink(stand, MARIA, {
      use_events: { messages: true, deals: false },
      ...(chat === null
        ? {}
        : { active_chat: { channel_id: chat.channelId, chat_type: chat.chatType, chat_id: chat.chatId } }),
    }),
  );
});
afterAll(async () => {
  host?.close();
  await stand?.close();
});

interface Told {
  readonly type: string;
  readonly detail: Readonly<Record<string, unknown>>;
}
const told = async (page: Page, type: string): Promise<readonly Told["detail"][]> => {
  const all = await page.evaluate<readonly Told[]>("told");
  return all.filter((each) => each.type === type).map(({ detail }) => detail);
};
const lastTold = async (page: Page, type: string) => (await told(page, type)).at(-1);

async function openHost() {
  const window = await openWindow(stand.browser, { width: 1280 });
  closeWithTest(window);
  await blockForeignCookies(window.page);
  await window.page.goto(host.origin);
  return { ...window, chats: window.page.frameLocator("trunkline-chat iframe") };
}

test("opens chats, tells of them, remembers the open one, and changes theme and language", async () => {
  const { page, chats } = await openHost();
  await until(async () => (await told(page, "ready")).length === 1);
  // The customer has started the bot, and has written.
  const before = 2;
  await until(async () => (await lastTold(page, "unread"))?.["count"] === before);
  await shop.write({ text: "One more" });
  await until(async () => (await lastTold(page, "unread"))?.["count"] === before + 1);
  await until(async () => (await told(page, "messagereceived")).length === 1);

  await chats.getByRole("navigation").getByRole("button", { name: /^Vera/ }).click();
  const field = chats.getByRole("textbox", { name: "Message" });
  await field.fill("From the element");
  await field.press("Enter");
  await until(async () => (await told(page, "messagesent")).length === 1);
  await until(async () => (await lastTold(page, "unread"))?.["count"] === 0);
  const vera = { channelId: shop.channelId, chatType: "telegram", chatId: "7301" };
  expect(await lastTold(page, "chatopened")).toEqual(vera);

  await page.evaluate("chats.setAttribute('theme', 'dark')");
  await chats.locator(":root[data-theme=dark]").waitFor();
  await page.evaluate("chats.setAttribute('lang', 'ru')");
  await chats.getByRole("button", { name: "Отправить" }).waitFor();

  const links = host.asked.length;
  await page.reload();
  await chats.getByRole("log").getByText("From the element", { exact: true }).waitFor();
  expect(host.asked.slice(links)).toEqual([{ reason: "open", chat: null }]);
  // As high as all that is shown needs: more than what a small page has.
  const height = async () => Number((await lastTold(page, "height"))?.["height"]);
  await until(async () => (await height()) > 100);
});

test("the element passes the microphone and the clipboard on: a voice message is recorded in a page of another site", async () => {
  const { page, chats } = await openHost();
  const allowed = await chats.owner().getAttribute("allow");
  expect(allowed?.split(/;\s*/).toSorted()).toEqual(["autoplay", "clipboard-write", "microphone"]);
  await chats.getByRole("navigation").getByRole("button", { name: /^Vera/ }).click();
  const record = chats.getByRole("button", { name: "Record a voice message" });
  await record.click();
  const timer = chats.getByRole("timer", { name: "Recording" });
  await until(async () => (await timer.textContent()) !== "0:00");
  await chats.getByRole("button", { name: "Stop" }).click();
  await chats.getByRole("button", { name: "Listen" }).waitFor();
  await chats.getByRole("button", { name: "Send", exact: true }).click();
  await shop.sent("sendVoice", 1);

  // Without the attribute the frame has no microphone, whatever the employee allows.
  await page.evaluate("chats.shadowRoot.querySelector('iframe').allow = 'clipboard-write; autoplay'");
  await page.evaluate("document.body.append(chats)");
  await chats.getByRole("navigation").getByRole("button", { name: /^Vera/ }).click();
  await record.click();
  await chats
    .getByRole("alert")
    .getByText("The page around the chat does not pass the microphone on.")
    .waitFor();
});

test("a chat that the page does not list is opened by another link; a session that ends is renewed", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `Later ${index}`);
  const [{ id }] = (await stand.db.query<{ id: string }>(
    "select chat_id as id from chats where chat_id = '7301'",
  )) as [{ id: string }];
  await storeChats(
    stand,
    shop.channelId,
    names.map((name) => ({ name, texts: ["Later"] })),
  );
  await stand.db.query(
    "update chat_order set at = now() + interval '1 minute', minute = floor(extract(epoch from now()) / 60) + 1 where chat <> (select id from chats where chat_id = $1)",
    [id],
  );
  const { page, chats } = await openHost();
  await until(async () => (await told(page, "ready")).length === 1);
  expect(await chats.getByRole("navigation").getByRole("button", { name: /^Vera/ }).count()).toBe(0);
  const links = host.asked.length;
  const vera = { channelId: shop.channelId, chatType: "telegram", chatId: "7301" };
  await page.evaluate(`chats.openChat(${JSON.stringify(vera)})`);
  const field = chats.getByRole("textbox", { name: "Message" });
  await field.waitFor();
  await chats.getByRole("heading", { name: "Vera" }).waitFor();
  expect(host.asked.slice(links)).toEqual([{ reason: "chat", chat: vera }]);
  // Moved, as drawers and tabs do: the frame loads again, and again its list lacks the open chat.
  await page.evaluate("document.body.append(chats)");
  await until(async () => host.asked.length === links + 3);
  expect(host.asked.slice(links + 1)).toEqual([
    { reason: "open", chat: null },
    { reason: "chat", chat: vera },
  ]);
  await chats.getByRole("heading", { name: "Vera" }).waitFor();

  await field.fill("Typed before the end");
  await stand.db.query("update page_tickets set expires_at = now()");
  await field.press("Enter");
  await field.fill("Typed after it");
  await chats.getByRole("log").getByText("Typed before the end", { exact: true }).waitFor();
  await until(async () => host.asked.at(-1)?.reason === "renew");
  await until(async () => (await chats.getByRole("img", { name: "Waiting to be sent" }).count()) === 0);
  expect(await field.inputValue()).toBe("Typed after it");
  // A chat that does not exist is asked for once.
  const before = host.asked.length;
  await page.evaluate(`chats.openChat({ ...${JSON.stringify(vera)}, chatId: "404" })`);
  await until(async () => host.asked.length === before + 1);
});

test("an element that is moved while it waits for a link that never comes opens again", async () => {
  const { page } = await openHost();
  await until(async () => (await told(page, "ready")).length === 1);
  const none = { channelId: shop.channelId, chatType: "telegram", chatId: "404" };
  await page.evaluate(`{
    const ask = (request) => fetch("/chat-link", { method: "POST", body: JSON.stringify(request) });
    window.hangs = 0;
    chats.getLink = (request) => {
      if (request.reason === "open") return ask(request).then((answer) => answer.text());
      hangs += 1;
      return new Promise(() => undefined);
    };
    chats.openChat(${JSON.stringify(none)});
  }`);
  await until(() => page.evaluate<boolean>("hangs === 1"));
  await page.evaluate("document.body.append(chats)");
  await until(async () => (await told(page, "ready")).length === 2);
});

test("where the service is not allowed to be shown, the element says so, and tries again", async () => {
  const frames = (origins: string) =>
    runCli(stand, ["account", "frames", "--account", String(stand.account.accountId), "--origins", origins]);
  await frames("https://other.example");
  onTestFinished(() => frames("any").then(() => undefined));
  const { page, chats } = await openHost();
  await chats.getByText("This site may not show the page").waitFor();
  await page.getByRole("alert").getByText(host.origin).waitFor();
  expect(await lastTold(page, "failed")).toEqual({ reason: "refused" });
  await frames("any");
  await until(async () => (await told(page, "ready")).length === 1);
  await page.getByRole("alert").waitFor({ state: "detached" });
});
