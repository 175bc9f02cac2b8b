import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkLook, closeWithTest, openWindow, untilToast } from "./kit/browser.ts";
import {
  chatsLink,
  MARIA,
  openChat,
  openChats,
  openShop,
  PAVEL,
  type Shop,
  seesOnce,
  until,
  untilStored,
} from "./kit/chat.ts";
import { type BrowserStand, startBrowserStand } from "./kit/stand.ts";

// What tells an employee of a message that is not in view, and how employees work on chats together.

let stand: BrowserStand;
let vera: Shop;
let oleg: Shop;
beforeAll(async () => {
  stand = await startBrowserStand();
  [vera, oleg] = await Promise.all([openShop(stand, "Vera", 7201), openShop(stand, "Oleg", 7202)]);
  await vera.write({ text: "First of Vera" });
  await oleg.write({ text: "First of Oleg" });
  for (const name of ["Vera", "Oleg"]) await untilStored(stand, `First of ${name}`);
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

const countIn = async (page: Page) => Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0);
const tonesIn = async (page: Page) => Number(await page.evaluate("tones"));

test("the title counts unread messages; a sound and a notification tell of those that are not in view", async () => {
  const page = await openRecorded();
  await openChat(page, "Vera");
  await seesOnce(page, "First of Vera");
  const count = () => countIn(page);
  // The chat that was opened is read.
  await until(
    async () =>
      (await page
        .getByRole("navigation")
        .getByRole("button", { name: /^Vera.*unread/ })
        .count()) === 0,
  );
  const before = await count();
  const tones = () => tonesIn(page);
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

describe("two employees at once", () => {
  let inna: Shop;
  let boris: Shop;
  beforeAll(async () => {
    [inna, boris] = await Promise.all([openShop(stand, "Inna", 7203), openShop(stand, "Boris", 7204)]);
    await inna.write({ text: "Is the lamp there?" });
    await untilStored(stand, "Is the lamp there?");
    await boris.write({ text: "When do you deliver?" });
    await untilStored(stand, "When do you deliver?");
  });

  const row = (page: Page, name: string): Locator =>
    page.getByRole("navigation").getByRole("button", { name: new RegExp(`^${name}`) });
  const names = async (page: Page): Promise<string> => {
    const shown = await page.evaluate<string[]>(
      "[...document.querySelectorAll('nav [data-row]')].map((row) => row.querySelector('[dir=auto]').textContent)",
    );
    return shown.join();
  };
  const focusedName = (page: Page) =>
    page.evaluate<string | null>("document.activeElement.ariaLabel ?? document.activeElement.textContent");
  const menu = (page: Page): Locator => page.getByRole("button", { name: "Chat actions" });
  const choose = async (page: Page, action: string): Promise<void> => {
    await menu(page).click();
    await page.getByRole("menuitem", { name: action, exact: true }).click();
  };
  /** With the pointer away from the list, whose rows keep their places below it. */
  const enter = async (page: Page, name: string): Promise<void> => {
    await openChat(page, name);
    await page.mouse.move(640, 200);
  };
  const open = async () => {
    const [maria, pavel] = await Promise.all([openChats(stand, MARIA), openChats(stand, PAVEL)]);
    return { maria: maria.page, pavel: pavel.page };
  };

  test("each sees who looks at a chat, who types in it, and who has left it", async () => {
    const { maria, pavel } = await open();
    await enter(maria, "Inna");
    await enter(pavel, "Inna");
    // Who comes second learns of the first, too.
    await pavel.getByRole("status").getByText("Maria is looking", { exact: true }).waitFor();
    await maria.getByRole("status").getByText("Pavel is looking", { exact: true }).waitFor();
    // He is said to type for a few seconds after each key.
    const isTyping = maria.getByRole("status").getByText("Pavel is typing", { exact: true });
    await until(async () => {
      await pavel.getByRole("textbox", { name: "Message" }).pressSequentially("One moment");
      return isTyping.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    });
    await checkLook(maria, "chat-together");
    await maria.setViewportSize({ width: 1280, height: 800 });
    await pavel.getByRole("textbox", { name: "Message" }).press("Enter");
    await maria.getByRole("status").getByText("Pavel is looking", { exact: true }).waitFor();
    await enter(pavel, "Boris");
    await maria.getByText(/^Pavel is/).waitFor({ state: "detached" });
    await enter(maria, "Boris");
    await pavel.getByText("Maria is looking").waitFor();
    await maria.close();
    await pavel.getByText("Maria is looking").waitFor({ state: "detached" });
  });

  test("a chat is taken, handed over and released; of two who take it at once one wins and the other is told", async () => {
    const { maria, pavel } = await open();
    await enter(maria, "Boris");
    await enter(pavel, "Boris");
    // Pavel presses before he can see that Maria was first.
    let release: () => void = () => undefined;
    const taken = new Promise<void>((resolve) => {
      release = resolve;
    });
    await pavel.route("**/app/api/chats/*/assignee", async (route) => {
      await taken;
      await route.continue();
    });
    await pavel.getByRole("button", { name: "Assign to me", exact: true }).click();
    await maria.getByRole("button", { name: "Assign to me", exact: true }).click();
    const mine = maria.getByRole("button", { name: "Assigned to Maria. Hand over to a colleague" });
    await mine.waitFor();
    await maria.getByRole("log").getByText("You took the chat").waitFor();
    await untilToast(pavel, "Maria was first: the chat is assigned to them", release);
    await pavel.getByRole("button", { name: "Assigned to Maria. Hand over to a colleague" }).waitFor();
    await pavel.getByRole("log").getByText("Maria took the chat").waitFor();
    await row(pavel, "Boris").getByText("Assigned to Maria").waitFor();

    // Filters restrict one another.
    const filters = maria.getByRole("group", { name: "Show", exact: true });
    await filters.getByRole("button", { name: "Mine", exact: true }).click();
    await until(async () => (await names(maria)) === "Boris");
    await filters.getByRole("button", { name: /^Unanswered/ }).click();
    await until(async () => (await names(maria)) === "Boris");
    await filters.getByRole("button", { name: "All", exact: true }).click();
    await until(async () => (await names(maria)).includes("Inna"));

    await mine.click();
    const dialog = maria.getByRole("dialog", { name: "Hand over to a colleague" });
    await dialog.getByRole("button", { name: "Pavel" }).waitFor();
    await checkLook(maria, "chat-hand-over");
    await maria.setViewportSize({ width: 1280, height: 800 });
    // The keyboard alone.
    await dialog.getByRole("searchbox", { name: "Name of a colleague" }).focus();
    await maria.keyboard.type("pav");
    await maria.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await maria.getByRole("log").getByText("You assigned the chat to Pavel").waitFor();
    await pavel.getByRole("log").getByText("Maria assigned the chat to you").waitFor();
    await filters.getByRole("button", { name: "Mine", exact: true }).click();
    await maria.getByText("No chat fits the filter").waitFor();
    await maria.getByRole("button", { name: "Show all chats" }).click();
    await until(async () => (await names(maria)).includes("Boris"));
    await filters.getByRole("button", { name: "Filter" }).click();
    await maria.getByRole("combobox", { name: "Assigned to" }).selectOption("Nobody");
    await until(async () => {
      const shown = await names(maria);
      return shown.includes("Inna") && !shown.includes("Boris");
    });
    await maria.getByRole("combobox", { name: "Messenger" }).selectOption("telegram");
    await checkLook(maria, "chat-filter");
    await maria.setViewportSize({ width: 1280, height: 800 });
    await filters.getByRole("button", { name: "All", exact: true }).click();

    await choose(pavel, "Unassign");
    await pavel.getByRole("button", { name: "Assign to me", exact: true }).waitFor();
    await maria.getByRole("button", { name: "Assign to me", exact: true }).waitFor();
    await maria.getByRole("log").getByText("Pavel unassigned the chat").waitFor();
  });

  test("the count of unanswered messages is the same for both, and an answer of one lowers it", async () => {
    const { maria, pavel } = await open();
    const counted = (page: Page) => page.getByRole("button", { name: /^Unanswered/ }).textContent();
    await boris.write({ text: "Hello?" });
    await row(maria, "Boris").getByText("Hello?").waitFor();
    await until(
      async () =>
        /\d/.test((await counted(maria)) ?? "") && (await counted(maria)) === (await counted(pavel)),
    );
    const before = Number((await counted(maria))?.replaceAll(/\D/g, ""));
    await enter(pavel, "Boris");
    await pavel.getByRole("textbox", { name: "Message" }).fill("Tomorrow");
    await pavel.keyboard.press("Enter");
    await until(async () => Number((await counted(maria))?.replaceAll(/\D/g, "")) < before);
    await until(async () => (await counted(maria)) === (await counted(pavel)));
  });

  test("with the keyboard alone a chat is pinned, marked unread and snoozed for everybody, and comes back", async () => {
    const { maria, pavel } = await open();
    await enter(maria, "Inna");
    const press = async (action: string): Promise<void> => {
      await menu(maria).focus();
      await maria.keyboard.press("Enter");
      const item = maria.getByRole("menuitem", { name: action, exact: true });
      await item.waitFor();
      for (let step = 0; step < 10 && (await focusedName(maria)) !== action; step++)
        await maria.keyboard.press("ArrowDown");
      expect(await focusedName(maria)).toBe(action);
      await maria.keyboard.press("Enter");
    };
    await press("Pin to the top");
    await row(maria, "Inna").getByText("Pinned").waitFor({ state: "attached" });
    await boris.write({ text: "Newer" });
    await row(maria, "Boris").getByText("Newer").waitFor();
    await until(async () => (await names(maria)).startsWith("Inna"));
    await row(pavel, "Boris").getByText("Newer").waitFor();
    await until(async () => (await names(pavel)).startsWith("Boris"));

    await press("Mark as unread");
    await row(maria, "Inna").getByText("Unread", { exact: true }).waitFor({ state: "attached" });
    expect(await row(pavel, "Inna").getByText("Unread", { exact: true }).count()).toBe(0);
    await checkLook(maria, "chat-marked");
    await maria.emulateMedia({ forcedColors: "active" });
    // The picture, the messenger, and the mark; of the chat that Maria works on, her letter.
    const edges = await maria.evaluate<string[]>(
      "[...document.querySelectorAll('[data-row=\"0\"] .shaped')].map((mark) => getComputedStyle(mark).borderTopWidth)",
    );
    expect(new Set(edges)).toEqual(new Set(["1px"]));
    await maria.emulateMedia({ forcedColors: "none" });
    await maria.setViewportSize({ width: 1280, height: 800 });

    await enter(maria, "Inna");
    await row(maria, "Inna").getByText("Unread", { exact: true }).waitFor({ state: "detached" });
    await press("Snooze");
    const dialog = maria.getByRole("dialog", { name: "Snooze" });
    await dialog.getByRole("button", { name: /^Tomorrow morning/ }).waitFor();
    await checkLook(maria, "chat-snooze");
    await maria.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole("button", { name: /^In an hour/ }).focus();
    await untilToast(maria, /^Snoozed until/, () => maria.keyboard.press("Enter"));
    await row(maria, "Inna").waitFor({ state: "detached" });
    await row(pavel, "Inna").waitFor({ state: "detached" });

    const filters = pavel.getByRole("group", { name: "Show", exact: true });
    await filters.getByRole("button", { name: "Filter" }).click();
    await pavel.getByRole("checkbox", { name: "Snoozed" }).check();
    await row(pavel, "Inna")
      .getByText(/^Snoozed until/)
      .waitFor({ state: "attached" });
    await filters.getByRole("button", { name: "All", exact: true }).click();
    // The hour is over.
    await stand.db.query("update chat_work set snoozed_until = now() where snoozed_until is not null");
    await row(maria, "Inna").getByText("Unread").waitFor({ state: "attached" });
    await row(pavel, "Inna").waitFor();

    // Or its customer writes.
    await enter(maria, "Inna");
    await choose(maria, "Snooze");
    await dialog.getByRole("button", { name: /^Tomorrow morning/ }).click();
    await row(pavel, "Inna").waitFor({ state: "detached" });
    await inna.write({ text: "It cannot wait" });
    await row(pavel, "Inna").getByText("It cannot wait").waitFor();
    await row(maria, "Inna").getByText("It cannot wait").waitFor();
  });

  test("an internal note is for colleagues: marked, in the export and in print as a note, and never sent", async () => {
    const { maria, pavel } = await open();
    await enter(maria, "Inna");
    await enter(pavel, "Inna");
    const before = await inna.sent("sendMessage", 0);
    await maria.getByRole("button", { name: "Internal note", exact: true }).focus();
    await maria.keyboard.press("Enter");
    const field = maria.getByRole("textbox", { name: "Internal note" });
    await maria.keyboard.type("She is angry, be kind");
    await checkLook(maria, "chat-note-written");
    await maria.setViewportSize({ width: 1280, height: 800 });
    await field.press("Enter");
    const note = (page: Page) => page.getByRole("article", { name: /^Internal note, / });
    await note(maria).getByText("She is angry, be kind").waitFor();
    await note(pavel).getByText("She is angry, be kind").waitFor();
    await note(pavel).getByText("Maria").waitFor();
    expect(await field.inputValue()).toBe("");

    // Its author changes it, with the keyboard alone: the arrow leads from the messages to the note.
    await note(maria).focus();
    await maria.keyboard.press("ArrowUp");
    await maria.keyboard.press("ArrowDown");
    await until(async () => (await focusedName(maria))?.startsWith("Internal note, You") === true);
    await maria.keyboard.press("Enter");
    await until(async () => (await focusedName(maria)) === "Edit");
    await maria.keyboard.press("Enter");
    await until(async () => (await focusedName(maria)) === "Internal note");
    for (let step = 0; step < "kind".length; step++) await maria.keyboard.press("ArrowLeft");
    await maria.keyboard.type("very ");
    await maria.keyboard.press("Tab");
    await maria.keyboard.press("Tab");
    expect(await focusedName(maria)).toBe("Save");
    await maria.keyboard.press("Enter");
    await until(async () => (await focusedName(maria))?.startsWith("Internal note, You") === true);
    await note(pavel).getByText("She is angry, be very kind").waitFor();
    await note(pavel).getByText("edited").waitFor();
    // A colleague's note cannot be changed.
    expect(await note(pavel).getByRole("button", { name: "Message actions" }).count()).toBe(0);

    // An answer follows; of both, the customer gets the answer alone.
    await maria.getByRole("button", { name: "Message", exact: true }).click();
    await maria.getByRole("textbox", { name: "Message" }).fill("We are sorry");
    await maria.keyboard.press("Enter");
    const sent = await inna.sent("sendMessage", before.length + 1);
    expect(sent.slice(before.length).map(({ request }) => request["text"])).toEqual(["We are sorry"]);
    expect(JSON.stringify(sent)).not.toContain("kind");
    await seesOnce(maria, "We are sorry");
    await checkLook(maria, "chat-note");
    await maria.setViewportSize({ width: 1280, height: 800 });

    await maria.getByRole("button", { name: "Export or print" }).click();
    const [file] = await Promise.all([
      maria.waitForEvent("download"),
      maria.getByRole("button", { name: "Save as text" }).click(),
    ]);
    expect(await readFile(await file.path(), "utf8")).toMatch(
      /\] Maria \(internal note, edited\): She is angry, be very kind\n/,
    );
    await maria.emulateMedia({ media: "print" });
    await note(maria).getByText("Internal note").waitFor();
    expect(await maria.getByRole("button", { name: "Internal note" }).isVisible()).toBe(false);
    await maria.emulateMedia({ media: "screen" });

    await note(maria).getByRole("button", { name: "Message actions" }).click();
    await maria.getByRole("menuitem", { name: "Delete" }).click();
    const question = maria.getByRole("dialog", { name: "Delete this note?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await note(maria).getByText("She is angry, be very kind").waitFor();
    await note(maria).getByRole("button", { name: "Message actions" }).click();
    await maria.getByRole("menuitem", { name: "Delete" }).click();
    await question.getByRole("button", { name: "Delete" }).click();
    await note(pavel).waitFor({ state: "detached" });
    await note(maria).waitFor({ state: "detached" });
  });

  test("what an agent proposes is changed and sent by one, or declined; nothing is sent before", async () => {
    const maria = await openRecorded();
    const { page: pavel } = await openChats(stand, PAVEL);
    await enter(maria, "Boris");
    await enter(pavel, "Inna");
    const before = await inna.sent("sendMessage", 0);
    const propose = async (text: string): Promise<void> => {
      await stand.api("POST", "/v2/messages/proposals", {
        channel_id: inna.channelId,
        chat_type: "telegram",
        chat_id: String(inna.userId),
        text,
      });
    };
    const proposal = (page: Page, text: string): Locator =>
      page.getByRole("article", { name: /^Proposed message, / }).filter({ hasText: text });
    const mark = (page: Page): Locator => row(page, "Inna").getByText("Proposed message");
    await row(maria, "Boris")
      .getByText(/unread/)
      .waitFor({ state: "detached" });
    const unread = await countIn(maria);
    await maria.evaluate("look('hidden')");
    await propose("It leaves tomorow");
    // To whom the chat is not in view: counted, heard, marked in the list, and the page asks.
    await until(async () => (await countIn(maria)) === unread + 1);
    await until(async () => (await tonesIn(maria)) === 2);
    await mark(maria).waitFor({ state: "attached" });
    await maria
      .getByRole("region", { name: /Show a notification next time/ })
      .getByText("Yes")
      .click();
    await until(async () => (await maria.evaluate("asked")) === 1);
    await maria.evaluate("look('visible')");
    await enter(maria, "Inna");
    await until(async () => (await countIn(maria)) <= unread);
    await mark(maria).waitFor({ state: "attached" });
    await proposal(pavel, "It leaves tomorow")
      .getByText(/^Waits for approval until/)
      .waitFor();
    await checkLook(pavel, "chat-proposed");
    await pavel.setViewportSize({ width: 1280, height: 800 });

    await proposal(maria, "It leaves tomorow").getByRole("button", { name: "Edit" }).click();
    await maria.getByRole("textbox", { name: "Proposed message" }).fill("It leaves tomorrow");
    await maria
      .getByRole("article", { name: /^Proposed message, / })
      .getByRole("button", { name: "Send" })
      .click();
    await proposal(maria, "It leaves tomorrow").getByText("You approved it").waitFor();
    await proposal(pavel, "It leaves tomorrow").getByText("Maria approved it").waitFor();
    const sent = await inna.sent("sendMessage", before.length + 1);
    expect(sent.slice(before.length).map(({ request }) => request["text"])).toEqual(["It leaves tomorrow"]);

    await mark(maria).waitFor({ state: "detached" });

    // Maria declines before Pavel, who presses at once, can see it.
    await maria.evaluate("look('hidden')");
    await propose("Buy two, get three");
    await until(async () => (await maria.evaluate<unknown[]>("shown")).length === 1);
    expect(await maria.evaluate("shown[0]")).toMatchObject({
      title: "Inna",
      body: "Proposed message: Buy two, get three",
    });
    await maria.evaluate("look('visible')");
    const second = proposal(pavel, "Buy two");
    await second.getByRole("button", { name: "Send" }).waitFor();
    let release: () => void = () => undefined;
    const declined = new Promise<void>((resolve) => {
      release = resolve;
    });
    await pavel.route("**/app/api/proposals/*/approve", async (route) => {
      await declined;
      await route.continue();
    });
    await second.getByRole("button", { name: "Send" }).click();
    await proposal(maria, "Buy two").getByRole("button", { name: "Decline" }).click();
    await proposal(maria, "Buy two").getByText("You declined it").waitFor();
    release();
    await second.getByText("Maria declined it").waitFor();
    await until(async () => (await second.getByRole("button", { name: "Send" }).count()) === 0);
    await mark(pavel).waitFor({ state: "detached" });
    expect((await inna.sent("sendMessage", 0)).length).toBe(sent.length);
  });
});
