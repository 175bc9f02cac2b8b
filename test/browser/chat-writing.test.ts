import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { boxOf, checkLook, startBrowser, untilToast } from "./kit/browser.ts";
import { act, MARIA, openChat, openChats, openShop, type Shop, until } from "./kit/chat.ts";
import { storeChats } from "./kit/history.ts";
import { png } from "./kit/media.ts";
import { type BrowserStand, startBrowserStand } from "./kit/stand.ts";

// What an employee writes with: voice, emoji, what was written before.

let stand: BrowserStand;
let shop: Shop;
beforeAll(async () => {
  stand = await startBrowserStand();
  shop = await openShop(stand, "Vera", 7201);
  await shop.write({ text: "Good day" });
  await shop.write({ text: "Which lamp is the brightest?" });
});
afterAll(() => stand?.close());

const focusedName = (page: Page) =>
  page.evaluate<string | null>("document.activeElement.getAttribute('aria-label')");
const focusedText = (page: Page) => page.evaluate<string>("document.activeElement.textContent");

/** A style of what this expression finds, where the system chooses the colours. */
async function withSystemColours(page: Page, element: string, style: string): Promise<unknown> {
  await page.emulateMedia({ forcedColors: "active" });
  const found = await page.evaluate(`getComputedStyle(${element}).${style}`);
  await page.emulateMedia({ forcedColors: "none" });
  return found;
}

/** A window whose browser has a microphone. */
async function openWithMicrophone(microphone: "allowed" | "denied") {
  const browser = await startBrowser({ microphone });
  onTestFinished(() => browser.close());
  const { page } = await openChats({ ...stand, browser }, MARIA);
  await openChat(page, "Vera");
  return page;
}

test("a voice message is recorded, heard and sent with the keyboard; Escape discards one", async () => {
  const page = await openWithMicrophone("allowed");
  const field = page.getByRole("textbox", { name: "Message" });
  const record = page.getByRole("button", { name: "Record a voice message" });
  await record.focus();
  await page.keyboard.press("Enter");
  const timer = page.getByRole("timer", { name: "Recording" });
  await until(async () => ((await timer.textContent()) ?? "") >= "0:02");
  const loudness = "document.querySelector('footer [aria-hidden] > span')";
  expect(await withSystemColours(page, loudness, "borderTopWidth")).toBe("4px");
  await checkLook(page, "chat-recording");
  await page.setViewportSize({ width: 1280, height: 800 });
  // The focus is at "Stop", and then at "Send".
  await page.keyboard.press("Enter");
  const listen = page.getByRole("button", { name: "Listen" });
  await listen.click();
  await page.getByRole("button", { name: "Pause" }).or(listen).waitFor();
  await checkLook(page, "chat-recorded");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Send" }).focus();
  await page.keyboard.press("Enter");
  await shop.sent("sendVoice", 1);
  await page
    .getByRole("log")
    .getByRole("button", { name: /^Play, / })
    .waitFor();
  await until(async () => (await focusedName(page)) === "Message");

  await record.click();
  await timer.waitFor();
  await page.keyboard.press("Escape");
  await timer.waitFor({ state: "detached" });
  await field.waitFor();
  expect(await page.getByRole("list", { name: "Files to send" }).count()).toBe(0);
});

test("a recording is kept with its chat when another one is opened", async () => {
  const other = await openShop(stand, "Oleg", 7202);
  await other.write({ text: "Hello" });
  const page = await openWithMicrophone("allowed");
  await page.getByRole("button", { name: "Record a voice message" }).click();
  const timer = page.getByRole("timer", { name: "Recording" });
  await until(async () => (await timer.textContent()) !== "0:00");
  await openChat(page, "Oleg");
  await openChat(page, "Vera");
  await page.getByRole("list", { name: "Files to send" }).getByText("voice-message.webm").waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await shop.sent("sendVoice", 2);
});

test("a microphone that the employee or the embedding page denies is named, and text is written as before", async () => {
  const page = await openWithMicrophone("denied");
  await page.getByRole("button", { name: "Record a voice message" }).click();
  await page.getByRole("alert").getByText("The browser does not let this page use the microphone.").waitFor();
  await checkLook(page, "chat-microphone-denied");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("Then in writing");
  await page.keyboard.press("Enter");
  await shop.sent("sendMessage", 1);
});

test("only the chat page may use the microphone, and only itself", async () => {
  const policyOf = async (path: string) => (await fetch(stand.url + path)).headers.get("permissions-policy");
  expect(await policyOf("/app/chats")).toContain("microphone=(self)");
  for (const path of ["/app/channels", "/app/console"])
    expect(await policyOf(path)).toContain("microphone=()");
});

test("an emoji is found by a word, chosen with the keyboard and offered again; a skin tone is kept", async () => {
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Vera");
  const field = page.getByRole("textbox", { name: "Message" });
  const open = page.getByRole("button", { name: "Emoji", exact: true });
  const picker = page.getByRole("dialog", { name: "Emoji" });
  await field.fill("The brightest: ");
  await open.click();
  await picker.getByRole("searchbox").fill("light bul");
  await picker.getByText("1 found").waitFor();
  await page.keyboard.press("Enter");
  await until(async () => (await field.inputValue()) === "The brightest: 💡");
  expect(await focusedName(page)).toBe("Message");

  await open.click();
  await picker.getByRole("button", { name: "light bulb" }).waitFor();
  await picker.getByRole("combobox", { name: "Skin tone" }).selectOption("3");
  await picker.getByRole("button", { name: "People" }).click();
  const chosen = "document.querySelector('[popover] [aria-pressed=true]')";
  expect(await withSystemColours(page, chosen, "outlineStyle")).toBe("solid");
  await checkLook(page, "chat-emoji");
  await page.setViewportSize({ width: 1280, height: 800 });
  await picker.getByRole("button", { name: "waving hand" }).focus();
  const focused = () => page.evaluate<string>("document.activeElement.dataset.emoji ?? ''");
  const first = await focused();
  for (const key of ["ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft"]) await page.keyboard.press(key);
  expect(await focused()).toBe(first);
  await page.keyboard.press("Enter");
  await until(async () => (await field.inputValue()) === "The brightest: 💡👋🏽");
  await open.click();
  await page.keyboard.press("Escape");
  await picker.waitFor({ state: "detached" });
  expect(await focusedName(page)).toBe("Emoji");
});

test("when the window is resized, the emoji stay above their button, and the field as high as its text", async () => {
  const { page } = await openChats(stand, MARIA, { width: 360 });
  await openChat(page, "Vera");
  const field = page.getByRole("textbox", { name: "Message" });
  const open = page.getByRole("button", { name: "Emoji", exact: true });
  const picker = page.getByRole("dialog", { name: "Emoji" });
  await field.fill("Two lamps and a table of old oak, please.");
  const isFitting = () =>
    field.evaluate(
      (shown: {
        readonly clientHeight: number;
        readonly scrollHeight: number;
        readonly style: { height: string };
      }) => {
        const { height } = shown.style;
        shown.style.height = "auto";
        const { scrollHeight } = shown;
        shown.style.height = height;
        return shown.clientHeight === scrollHeight;
      },
    );
  const heightAt = async (width: number, height: number) => {
    await page.setViewportSize({ width, height });
    await until(isFitting);
    return (await boxOf(field)).height;
  };
  // As a phone that is turned.
  const [upright, lying] = [await heightAt(360, 590), await heightAt(590, 360)];
  expect(lying).toBeLessThan(upright);
  expect(await heightAt(360, 590)).toBe(upright);
  // The details take a part of its width.
  const narrow = await heightAt(1000, 800);
  await page.getByRole("button", { name: "Details" }).click();
  await until(async () => (await isFitting()) && (await boxOf(field)).height < narrow);

  await open.click();
  for (const [width, height] of [
    [590, 360],
    [360, 590],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    await until(async () => {
      const [box, button] = [await boxOf(picker), await boxOf(open)];
      const isAbove = Math.abs(box.y + box.height + 8 - button.y) < 1 || Math.round(box.y) === 8;
      return isAbove && box.x >= 8 && box.x + box.width <= width - 7 && box.y + box.height <= height;
    });
  }
});

test("a search in the conversation counts, marks and visits its matches, with the keyboard and on a phone", async () => {
  const texts = Array.from({ length: 120 }, (_, index) =>
    index % 20 === 0 ? `The blue lamp ${index}.` : `Message ${index}.`,
  );
  await storeChats(stand, shop.channelId, [{ name: "Searched", texts }]);
  await stand.db.query(
    "insert into search_queue select account_id, id from messages where text like 'The blue lamp%'",
  );
  await until(async () => {
    const rows = await stand.db.query("select 1 from message_words where text like '%blue%'");
    return rows.length === 6;
  });
  const { page } = await openChats(stand, MARIA, { width: 360 });
  await openChat(page, "Searched");
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByRole("button", { name: "Search in this conversation" }).click();
  const bar = page.getByRole("search");
  await until(async () => (await focusedName(page)) === "Search in this conversation");
  // At once: a pause between two keys would be a search of its own.
  await page.keyboard.insertText("lam blue");
  await bar.getByText("1 of 6").waitFor();
  const shown = (index: number) => page.getByRole("log").getByText(`The blue lamp ${index}.`).waitFor();
  await shown(100);
  const marked = () =>
    page.evaluate<string[]>("[...CSS.highlights.get('found')].map((range) => range.toString()).toSorted()");
  await until(async () => (await marked()).includes("blue") && (await marked()).includes("lam"));
  await page.keyboard.press("Enter");
  await bar.getByText("2 of 6").waitFor();
  await shown(80);
  // The field keeps the focus, so that Enter goes on.
  await page.keyboard.press("Enter");
  await bar.getByText("3 of 6").waitFor();
  await page.keyboard.press("Shift+Enter");
  await bar.getByText("2 of 6").waitFor();
  const words = "document.querySelector('[role=log]'), '::highlight(found)'";
  expect(await withSystemColours(page, words, "backgroundColor")).not.toBe("rgba(0, 0, 0, 0)");
  await checkLook(page, "chat-search-here");
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const at of [3, 4, 5, 6]) {
    await bar.getByRole("button", { name: "Earlier match" }).click();
    await bar.getByText(`${at} of 6`).waitFor();
  }
  await shown(0);
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
  await until(async () => !(await page.evaluate<boolean>("CSS.highlights.has('found')")));
});

test("the gallery shows pictures, files and links of a chat, and leads back to their messages", async () => {
  const client = await openShop(stand, "Gala", 7203);
  await client.write({ text: "See https://lamps.example/blue" });
  await client.write({
    kind: "photo",
    caption: "My lamp",
    file: { base64: png(240, 160).toString("base64") },
  });
  await client.write({ text: "Thanks" });
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Gala");
  const log = page.getByRole("log");
  await log.getByRole("button", { name: "Open photo" }).waitFor();
  await page.getByRole("button", { name: "Pictures, files and links" }).click();
  const gallery = page.getByRole("dialog", { name: "Pictures, files and links" });
  await gallery.getByRole("button", { name: /^Open photo/ }).waitFor();
  const kind = "document.querySelector('dialog [aria-pressed=true]')";
  expect(await withSystemColours(page, kind, "outlineStyle")).toBe("solid");
  await checkLook(page, "chat-gallery");
  await page.setViewportSize({ width: 1280, height: 800 });
  await gallery.getByRole("button", { name: /^Open photo/ }).click();
  const viewer = page.getByRole("dialog", { name: "Photo viewer" });
  await viewer.getByText("1 / 1").waitFor();
  await page.keyboard.press("Escape");
  await viewer.waitFor({ state: "hidden" });
  await gallery.getByRole("button", { name: "Files" }).click();
  await gallery.getByText("Nothing of this kind yet").waitFor();
  await gallery.getByRole("button", { name: "Links" }).click();
  await gallery.getByRole("link", { name: "https://lamps.example/blue" }).waitFor();
  await gallery.getByRole("button", { name: "Show in the conversation" }).click();
  await gallery.waitFor({ state: "detached" });
  await until(async () => (await focusedName(page))?.startsWith("Gala, ") === true);
});

test("a dialog of the details stays when the window becomes narrower or wider, and gives the focus back", async () => {
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Vera");
  for (const name of ["Pictures, files and links", "Export or print"]) {
    const dialog = page.getByRole("dialog", { name });
    await page.getByRole("button", { name }).click();
    for (const width of [700, 360, 1280, 700]) {
      await page.setViewportSize({ width, height: 800 });
      await dialog.getByRole("button", { name: "Close" }).waitFor();
    }
    // What opened it is hidden now.
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await until(async () => (await focusedName(page)) === "Details");
    // Opened above the dialog of the details, it closes with that.
    await page.keyboard.press("Enter");
    const details = page.getByRole("dialog", { name: "Vera" });
    await details.getByRole("button", { name }).click();
    await dialog.getByRole("button", { name: "Close" }).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.waitFor({ state: "detached" });
    await details.waitFor({ state: "detached" });
    await until(async () => (await focusedName(page)) === "Details");
    // Beside the conversation, the focus goes back to what opened it.
    await page.getByRole("button", { name }).click();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await until(async () => (await focusedText(page)) === name);
  }
});

test("a whole conversation is saved as a page or a text, and loaded before it is printed", async () => {
  await storeChats(stand, shop.channelId, [
    { name: "Exported", texts: Array.from({ length: 230 }, (_, index) => `Line ${index}. <b>&`) },
  ]);
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Exported");
  const open = page.getByRole("button", { name: "Export or print" });
  const dialog = page.getByRole("dialog", { name: "Export or print" });
  await open.click();
  await dialog.getByRole("button", { name: "Save as text" }).waitFor();
  await checkLook(page, "chat-export");
  await page.setViewportSize({ width: 1280, height: 800 });
  const saved = async (button: string) => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: button }).click(),
    ]);
    await dialog.waitFor({ state: "detached" });
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
  };
  const text = await saved("Save as text");
  expect(text.name).toBe("Exported.txt");
  expect(text.text.match(/Line \d+\./g)).toHaveLength(230);
  expect(text.text).toMatch(/^Exported · .*\n\n\[.+\] .+: Line 0\. <b>&\n/);
  await open.click();
  const html = await saved("Save as a web page");
  expect(html.name).toBe("Exported.html");
  expect(html.text.match(/Line \d+\. &lt;b&gt;&amp;/g)).toHaveLength(230);

  await page.evaluate("window.print = () => { window.printed = true; }");
  await open.click();
  await dialog.getByRole("button", { name: "Print" }).click();
  await until(() => page.evaluate<boolean>("window.printed === true"));
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.emulateMedia({ media: "print" });
  await page.getByRole("log").getByText("Line 0.").waitFor();
});

test("a message is forwarded with its file to another chat, by what the messenger there takes", async () => {
  const from = await openShop(stand, "Fedor", 7204);
  const to = await openShop(stand, "Tanya", 7205);
  await to.write({ text: "Hello from Tanya" });
  await from.write({
    kind: "photo",
    caption: "The broken lamp",
    file: { base64: png(240, 160).toString("base64") },
  });
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Fedor");
  const log = page.getByRole("log");
  await log.getByRole("button", { name: "Open photo" }).waitFor();
  await act(page, "The broken lamp", "Forward");
  const dialog = page.getByRole("dialog", { name: "Forward to another chat" });
  await dialog.getByRole("searchbox", { name: "Find a chat" }).fill("Tany");
  await dialog.getByRole("list", { name: "Chats" }).getByRole("button").first().waitFor();
  await checkLook(page, "chat-forward");
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole("button", { name: /^Tanya/ }).click();
  const forward = dialog.getByRole("button", { name: "Forward", exact: true });
  await until(() => forward.isEnabled());
  await untilToast(page, "Forwarded to Tanya", () => forward.click());
  const [sent] = await to.sent("sendPhoto", 1);
  expect(sent?.request).toMatchObject({ chat_id: String(to.userId), caption: "The broken lamp" });
  await openChat(page, "Tanya");
  await log.getByText("The broken lamp").waitFor();
});
