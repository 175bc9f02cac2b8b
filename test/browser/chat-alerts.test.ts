import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkLook, closeWithTest, openWindow } from "./kit/browser.ts";
import { chatsLink, MARIA, openChat, openShop, type Shop, seesOnce, until } from "./kit/chat.ts";
import { type BrowserStand, startBrowserStand } from "./kit/stand.ts";

// What tells an employee of a message that is not in view.

let stand: BrowserStand;
let vera: Shop;
let oleg: Shop;
beforeAll(async () => {
  stand = await startBrowserStand();
  [vera, oleg] = await Promise.all([openShop(stand, "Vera", 7201), openShop(stand, "Oleg", 7202)]);
  await vera.write({ text: "First of Vera" });
  await oleg.write({ text: "First of Oleg" });
});
afterAll(() => stand?.close());

/** Chromium without a screen has no notifications: this one records what the page asks of it. Tones are counted. */
const RECORDER = `
  window.shown = [];
  window.tones = 0;
  window.asked = 0;
  window.Notification = class {
    static permission = "default";
    static async requestPermission() {
      window.asked++;
      return (Notification.permission = "granted");
    }
    constructor(title, { body, tag }) {
      window.shown.push({ title, body, tag });
    }
    close() {}
  };
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (...when) {
    window.tones++;
    return start.apply(this, when);
  };
  let seen = "visible";
  Object.defineProperty(document, "visibilityState", { get: () => seen });
  window.look = (state) => {
    seen = state;
    document.dispatchEvent(new Event("visibilitychange"));
  };
`;

async function openRecorded(): Promise<Page> {
  const window = await openWindow(stand.browser, { width: 1280 });
  closeWithTest(window, { faultless: true });
  await window.page.addInitScript(RECORDER);
  await window.page.goto(await chatsLink(stand, MARIA));
  return window.page;
}

test("the title counts unread messages; a sound and a notification tell of those that are not in view", async () => {
  const page = await openRecorded();
  await openChat(page, "Vera");
  await seesOnce(page, "First of Vera");
  const count = async () => Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0);
  // The chat that was opened is read.
  await until(
    async () =>
      (await page
        .getByRole("navigation")
        .getByRole("button", { name: /^Vera.*unread/ })
        .count()) === 0,
  );
  const before = await count();
  const tones = async () => Number(await page.evaluate("tones"));
  await vera.write({ text: "In view" });
  await seesOnce(page, "In view");
  await until(async () => (await count()) === before);
  expect(await tones()).toBe(0);

  await oleg.write({ text: "Beside it" });
  await until(async () => (await count()) === before + 1);
  await until(async () => (await tones()) === 2);
  const question = page.getByRole("region", { name: /Show a notification next time/ });
  expect(await question.count()).toBe(0);

  // Not looked at: the message in the open chat is missed, too, and the page asks.
  await page.evaluate("look('hidden')");
  await vera.write({ text: "While away" });
  await question.waitFor();
  await until(async () => (await tones()) === 4);
  expect(await page.evaluate("shown")).toEqual([]);
  await page.evaluate("look('visible')");
  await checkLook(page, "chat-ask-notifications");
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await page.evaluate("asked")).toBe(0);
  await question.getByRole("button", { name: "Yes" }).click();
  await until(async () => (await page.evaluate("asked")) === 1);
  await page.evaluate("look('hidden')");
  await oleg.write({ text: "Are you *there*?" });
  await until(async () => (await page.evaluate<unknown[]>("shown")).length === 1);
  expect(await page.evaluate("shown[0]")).toMatchObject({ title: "Oleg", body: "Are you *there*?" });
  await page.evaluate("look('visible')");
  await openChat(page, "Oleg");
  await until(async () => (await page.title()) === "Chats");
});

test("each employee chooses; what was declined is not asked again", async () => {
  const page = await openRecorded();
  await openChat(page, "Vera");
  const setSound = async (isOn: boolean) => {
    await page.getByRole("button", { name: "Keyboard and settings" }).click();
    await page.getByLabel("Play a sound").setChecked(isOn);
    if (isOn) await checkLook(page, "chat-settings");
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  };
  await setSound(false);
  await page.evaluate("look('hidden')");
  await oleg.write({ text: "Silent" });
  const question = page.getByRole("region", { name: /Show a notification next time/ });
  await question.getByRole("button", { name: "No" }).click();
  await oleg.write({ text: "Silent again" });
  await page.getByRole("navigation").getByText("Silent again").waitFor();
  await page.evaluate("look('visible')");
  await setSound(true);
  await page.evaluate("look('hidden')");
  await oleg.write({ text: "Aloud" });
  await until(async () => (await page.evaluate("tones")) === 2);
  expect(await question.count()).toBe(0);
  expect(await page.evaluate("asked + shown.length")).toBe(0);
});
