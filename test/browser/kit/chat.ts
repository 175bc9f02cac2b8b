import type { Page } from "playwright-core";
import { vi } from "vitest";
import { closeWithTest, openWindow } from "./browser.ts";
import type { BrowserStand } from "./stand.ts";

/** A bot with its channel, and a customer who has started it. */
export interface Shop {
  readonly botId: number;
  readonly channelId: string;
  readonly userId: number;
  /** The customer writes; resolves when the messenger has the message. */
  write(message: object): Promise<{ message: { message_id: number } }>;
  act(action: string, body?: object): Promise<unknown>;
  /** The bot's calls at the messenger: waits until there are `count` calls of a method. */
  sent(method: string, count: number): Promise<readonly Sent[]>;
}
interface Sent {
  readonly method: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** Connects a Telegram bot; `name` is the customer's name. */
export async function openShop(stand: BrowserStand, name: string, userId: number): Promise<Shop> {
  const bot = await stand.admin<{ id: number; token: string }>("telegram", "POST /bots", { name: "Shop" });
  await stand.admin("telegram", "POST /users", { id: userId, first_name: name });
  const created = await stand.api<{ data: { channel_id: string }[] }>("POST", "/v2/channels", {
    transport: "telegram",
    credentials: { telegram_token: bot.token },
  });
  await stand.admin("telegram", `POST /bots/${bot.id}/users/${userId}/start`, {});
  const act = (action: string, body: object = {}) =>
    stand.admin("telegram", `POST /bots/${bot.id}/users/${userId}/${action}`, body);
  return {
    botId: bot.id,
    channelId: created.data[0]?.channel_id ?? "",
    userId,
    act,
    write: (message) => act("messages", message) as Promise<{ message: { message_id: number } }>,
    async sent(method, count) {
      const query = `method=${method}&count=${count}&timeout_ms=60000`;
      const { items } = await stand.admin<{ items: Sent[] }>("telegram", `GET /bots/${bot.id}/sent?${query}`);
      return items;
    },
  };
}

/** Connects a channel by signing in at the messenger in the window that the connect page opens. */
export async function connectByDialog(
  stand: BrowserStand,
  transport: string,
  press: string,
  agree: string,
): Promise<void> {
  const { page, context } = await openWindow(stand.browser);
  await page.goto(await stand.channelsLink({ transport }));
  const button = page.getByRole("button", { name: press, exact: true });
  const [away] = await Promise.all([context.waitForEvent("page"), button.click()]);
  await away.getByRole("button", { name: agree }).click();
  await agreeToConnect(away);
  await until(async () => {
    const { data } = await stand.api<{ data: Record<string, string>[] }>("GET", "/v2/channels");
    return data.some((each) => each["transport"] === transport && each["status"] === "active");
  });
  await context.close();
}

/** Agrees on the page that names the account, or picks the first of what the messenger offers. */
export async function agreeToConnect(back: Page): Promise<void> {
  const agree = back
    .getByRole("button", { name: "Connect", exact: true })
    .or(back.getByRole("listitem").getByRole("button"));
  await agree.first().click();
}

interface Agent {
  readonly id: string;
  readonly name: string;
}
export const MARIA: Agent = { id: "maria", name: "Maria" };
export const PAVEL: Agent = { id: "pavel", name: "Pavel" };

/** Requests the link to an employee's chat page, as a CRM does. */
export async function chatsLink(
  stand: BrowserStand,
  { id, name }: Agent,
  more: object = {},
): Promise<string> {
  const made = await stand.api<{ data: { link: string } }>("POST", "/v2/iframe-links/chats", {
    user_id: id,
    author_name: name,
    scope: "global",
    ...more,
  });
  return made.data.link;
}

interface OpenOptions {
  readonly width?: number;
  readonly locale?: string;
  readonly active_chat?: object;
  readonly scope?: "card";
  readonly chats?: readonly object[];
  /** Requests for the list of chats get no response. */
  readonly hold?: boolean;
  readonly hasTouch?: boolean;
}

/** Opens an employee's chat page in a new window. Any console error fails the test. */
export async function openChats(
  stand: BrowserStand,
  agent: Agent,
  { width = 1280, locale = "en-US", hold = false, hasTouch = false, ...more }: OpenOptions = {},
) {
  const window = await openWindow(stand.browser, { width, locale, hasTouch });
  const link = await chatsLink(stand, agent, more);
  closeWithTest(window, { faultless: true });
  if (hold) await window.page.route("**/app/api/chats?*", () => undefined);
  await window.page.goto(link);
  return window;
}

export async function openChat(page: Page, name: string): Promise<void> {
  // Rows below the pointer keep their places, and a note of the changed ones covers the first.
  await page.mouse.move(0, 0);
  await page
    .getByRole("navigation")
    .getByRole("button", { name: new RegExp(`^${name}`) })
    .click();
  await page.getByRole("textbox", { name: "Message" }).waitFor();
}

/** All bubbles of a thread, collected by scrolling to its start. */
export async function wholeThread(page: Page): Promise<readonly string[]> {
  const log = page.getByRole("log");
  const all = new Set<string>();
  for (let before = -1; ; ) {
    for (const text of await log.getByRole("article").allTextContents())
      all.add(text.replaceAll(/\s+/g, " ").trim());
    const top = await log.evaluate((element: { scrollTop: number }) => {
      element.scrollTop -= 300;
      return element.scrollTop;
    });
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    if (top === before) return [...all];
    before = top;
  }
}

/** The element with the focus. */
interface Focused {
  readonly label: string | null;
  readonly value: string | undefined;
  readonly row: string | undefined;
}

/**
 * Presses keys in immediate succession: between them the page gets no frame, timer or response. This simulates the
 * fastest typing on the slowest machine.
 */
export async function pressAtOnce(page: Page, keys: readonly string[]): Promise<Focused> {
  return page.evaluate(`(async () => {
    const press = (name) => {
      const key = name.replace("Control+", "");
      const init = { key, ctrlKey: key !== name, bubbles: true, cancelable: true };
      const target = document.activeElement;
      if (!target.dispatchEvent(new KeyboardEvent("keydown", init)) || init.ctrlKey) return;
      if (key === "Enter" && target.matches("button")) target.click();
      if (key.length === 1 && target.matches("input, textarea")) document.execCommand("insertText", false, key);
    };
    for (const name of ${JSON.stringify(keys)}) {
      press(name);
      for (let turn = 0; turn < 50; turn++) await null;
    }
    const focused = document.activeElement;
    return { label: focused.getAttribute("aria-label"), value: focused.value, row: focused.dataset.row };
  })()`);
}

/** Waits until the service has stored a message; messengers have it sooner. */
export async function untilStored({ db }: BrowserStand, text: string): Promise<void> {
  await until(async () => (await db.query("select 1 from messages where text = $1", [text])).length === 1);
}

/** Waits until all stored messages can be found: they are indexed a moment later. */
export async function untilIndexed({ db }: BrowserStand): Promise<void> {
  await until(async () => (await db.query("select 1 from search_queue limit 1")).length === 0);
}

/** Opens the actions of a message and chooses one. Returns the names of all. */
export async function act(page: Page, text: string, action?: string): Promise<readonly string[]> {
  const bubble = page.getByRole("article").filter({ has: page.getByText(text, { exact: true }) });
  const isSoon = (done: Promise<void>): Promise<boolean> =>
    done.then(
      () => true,
      () => false,
    );
  const first = page.getByRole("menuitem").first();
  // A bubble that moves meanwhile is no longer below the pointer, and hides the button. A click that takes long may
  // have opened the menu all the same, which another one would close.
  await until(async () => {
    if (await first.isVisible()) return true;
    await bubble.last().hover();
    const button = bubble.last().getByRole("button", { name: "Message actions" });
    await isSoon(button.click({ timeout: 5_000 }));
    return isSoon(first.waitFor({ timeout: 5_000 }));
  });
  const names = await page.getByRole("menuitem").allTextContents();
  if (action === undefined) await page.keyboard.press("Escape");
  else await page.getByRole("menuitem", { name: action, exact: true }).click();
  return names;
}

/** Waits until the page shows exactly the expected number of bubbles with a text. */
export async function seesOnce(page: Page, text: string): Promise<void> {
  await page.getByRole("log").getByText(text, { exact: true }).first().waitFor();
  const count = await page.getByRole("log").getByText(text, { exact: true }).count();
  if (count !== 1) throw new Error(`${text} is there ${count} times`);
}

/** Waits until a condition holds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  await vi.waitUntil(holds, { timeout: 60_000, interval: 50 });
}
