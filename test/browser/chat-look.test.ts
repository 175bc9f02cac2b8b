import { gzipSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Box,
  boxOf,
  checkLook,
  closeWithTest,
  findProblems,
  openWindow,
  resize,
} from "./kit/browser.ts";
import { chatsLink, MARIA, openChat, openChats, openShop, type Shop, until } from "./kit/chat.ts";
import { storeChats } from "./kit/history.ts";
import { type BrowserStand, startBrowserStand } from "./kit/stand.ts";

// How the chat page looks and is used with other scripts, colours, keys, and on paper.

const HEBREW = "שלום, האם המנורה הכחולה במלאי?";
const SPOOFED = "invoice\u202Efdp.exe";
let stand: BrowserStand;
let shop: Shop;
beforeAll(async () => {
  stand = await startBrowserStand();
  shop = await openShop(stand, "Anyone", 7101);
  await storeChats(stand, shop.channelId, [
    {
      name: "Rivka",
      texts: [
        "Hi",
        HEBREW,
        `price \u202Eevil\u202C`,
        "See https://lamps.example",
        `${HEBREW}\nOr the green one?`,
      ],
    },
    { name: `Long ${"name ".repeat(40)}`, texts: ["Hello"] },
    { name: "History", texts: Array.from({ length: 300 }, (_, index) => `Message ${index + 1}.`) },
  ]);
});
afterAll(() => stand?.close());

interface Measured {
  getBoundingClientRect(): { toJSON(): Box };
  querySelector(selector: string): Measured;
}
const bubbleOf = (page: Page, text: string) =>
  page.getByRole("log").getByRole("article").filter({ hasText: text }).first();
const end = ({ x, width }: Box) => x + width;

/** Where the lines of a message's text begin and end, from above. */
const linesOf = (page: Page, text: string) =>
  page.evaluate<readonly { readonly left: number; readonly right: number }[]>(`(() => {
    const article = [...document.querySelectorAll("article")].find((each) => each.textContent.includes("${text}"));
    const lines = new Map();
    const range = document.createRange();
    range.selectNodeContents(article.querySelector("[dir=auto] > span"));
    for (const { y, left, right, width } of range.getClientRects()) {
      const line = lines.get(y) ?? { left, right };
      if (width > 0) lines.set(y, { left: Math.min(left, line.left), right: Math.max(right, line.right) });
    }
    return [...lines].toSorted(([a], [b]) => a - b).map(([, line]) => line);
  })()`);

test("the time is in the last line; right-to-left texts begin at the right; overrides have no effect", async () => {
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Rivka");
  // At one moment: the thread moves until all of its parts are measured.
  const [bubble, time, text] = await bubbleOf(page, "Hi").evaluate((article: Measured) => {
    const parts = [article, article.querySelector("time"), article.querySelector("[dir=auto] > span")];
    return parts.map((part) => part.getBoundingClientRect().toJSON()) as [Box, Box, Box];
  });
  expect(time.y).toBeLessThan(text.y + text.height);
  expect(time.x).toBeGreaterThan(end(text));
  expect(bubble.height).toBeLessThan(50);

  // Each line begins at the side of its own script.
  const lines = await linesOf(page, "Or the green one?");
  const [first, last] = [lines[0], lines.at(-1)];
  expect(lines.length).toBeGreaterThan(1);
  expect(first?.right).toBeGreaterThan(Number(last?.right));

  expect(await bubbleOf(page, "price").textContent()).toContain("price evil");
  await page
    .locator('input[type="file"]')
    .setInputFiles([{ name: SPOOFED, mimeType: "application/pdf", buffer: Buffer.from("x") }]);
  await page.getByRole("list", { name: "Files to send" }).getByText("invoicefdp.exe").waitFor();
  await checkLook(page, "chat-right-to-left");
});

test("the empty field is one line high, whatever the name; the details can be closed, and stay closed", async () => {
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Rivka");
  const field = page.getByRole("textbox", { name: "Message" });
  const { height } = await boxOf(field);
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await openChat(page, "Long");
    await resize(page, { width });
    expect((await boxOf(field)).height).toBe(height);
  }
  const [details, toggle] = [
    page.getByRole("region", { name: "Details" }),
    page.getByRole("button", { name: "Details" }),
  ];
  await details.getByText("Id in the messenger").waitFor();
  const before = await boxOf(page.getByRole("log"));
  await toggle.click();
  await details.waitFor({ state: "detached" });
  expect((await boxOf(page.getByRole("log"))).width).toBeGreaterThan(before.width + 200);
  await checkLook(page, "chat-without-details");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(await chatsLink(stand, MARIA));
  await openChat(page, "Rivka");
  expect(await details.count()).toBe(0);
  await toggle.click();
  await details.getByText("Id in the messenger").waitFor();
});

test("all messages are one tab stop, which arrow keys move, also to messages that are not drawn yet", async () => {
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Rivka");
  const focused = () =>
    page.evaluate<string>(`(() => {
      const { activeElement: now } = document;
      return now.getAttribute("aria-label") ?? now.textContent;
    })()`);
  const stops = page
    .getByRole("log")
    .locator("[tabindex='0'], a:not([tabindex='-1']), button:not([tabindex='-1'])");
  await bubbleOf(page, "Or the green one?").waitFor();
  await page.getByRole("textbox", { name: "Message" }).focus();
  // Before the field: files, and the switch between a message and an internal note.
  await page.getByRole("button", { name: "Internal note", exact: true }).waitFor();
  for (let stop = 0; stop < 4; stop++) await page.keyboard.press("Shift+Tab");
  expect(await focused()).toBe("Message actions");
  // The newest message and its actions.
  expect(await stops.count()).toBe(2);
  await page.keyboard.press("Shift+Tab");
  expect(await focused()).toMatch(/^Rivka, /);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("https://lamps.example");
  await page.keyboard.press("Shift+Tab");
  // The second time the menu is loaded already, and open before the key is released.
  for (const _ of ["first", "second"]) {
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Copy" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "hidden" });
  }
  expect(await findProblems(page)).toEqual([]);

  await page.setViewportSize({ width: 1280, height: 800 });
  await openChat(page, "History");
  const log = page.getByRole("log");
  await log.getByText("Message 300.", { exact: true }).waitFor();
  await log.getByRole("article").last().focus();
  for (let step = 0; step < 40; step++) await page.keyboard.press("ArrowUp");
  expect(await page.evaluate("document.activeElement.textContent")).toContain("Message 260.");
  await page.keyboard.press("End");
  expect(await page.evaluate("document.activeElement.textContent")).toContain("Message 300.");
});

test("everything that is pressed is at least 40 pixels high and wide, at any width", async () => {
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Rivka");
  for (const width of [320, 1280]) {
    await resize(page, { width });
    const small = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll("button, input[type=search], select")]
      .filter((each) => each.checkVisibility())
      .map((each) => ({ name: each.ariaLabel ?? each.textContent, box: each.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 40 || box.height < 40))
      .map(({ name, box }) => name + " " + box.width + "x" + box.height)`);
    expect(small, `at ${width} pixels`).toEqual([]);
  }
});

test("with colours of the system, bubbles, marks and the open chat keep their shapes", async () => {
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Rivka");
  await bubbleOf(page, "Hi").waitFor();
  await page.emulateMedia({ forcedColors: "active" });
  const widthOf = (selector: string, side = "borderTopWidth") =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${side}`);
  expect(await widthOf("article .shaped")).toBe("1px");
  expect(await widthOf("nav .shaped")).toBe("1px");
  expect(await widthOf("[aria-current=true]", "outlineStyle")).toBe("solid");
  await page.emulateMedia({ forcedColors: "none" });
  expect(await widthOf("article .shaped")).toBe("0px");
});

/** A square that moves from the left to the right within a second, and more in the file. */
function movingSticker(more: object = {}): string {
  const still = (k: unknown) => ({ a: 0, k });
  const shape = {
    ty: "gr",
    it: [
      { ty: "rc", d: 1, p: still([0, 0]), s: still([200, 200]), r: still(0) },
      { ty: "fl", c: still([0, 0.5, 1, 1]), o: still(100), r: 1 },
      { ty: "tr", p: still([0, 0]), a: still([0, 0]), s: still([100, 100]), r: still(0), o: still(100) },
    ],
  };
  const ease = { i: { x: 0.8, y: 0.8 }, o: { x: 0.2, y: 0.2 } };
  const way = [
    { t: 0, s: [100, 256, 0], ...ease },
    { t: 60, s: [412, 256, 0] },
  ];
  const ks = {
    p: { a: 1, k: way },
    a: still([0, 0, 0]),
    s: still([100, 100, 100]),
    r: still(0),
    o: still(100),
  };
  const layer = { ty: 4, ind: 1, ip: 0, op: 60, st: 0, sr: 1, bm: 0, ddd: 0, ks, shapes: [shape] };
  const sticker = {
    tgs: 1,
    v: "5.5.2",
    fr: 60,
    ip: 0,
    op: 60,
    w: 512,
    h: 512,
    ddd: 0,
    assets: [],
    layers: [layer],
  };
  return gzipSync(JSON.stringify({ ...sticker, ...more })).toString("base64");
}

test("animated stickers play in view, stop when pressed or under reduced motion; foreign parts stay files", async () => {
  const client = await openShop(stand, "Stickers", 7102);
  const send = (base64: string) => client.write({ kind: "sticker", format: "tgs", file: { base64 } });
  await send(movingSticker());
  const { page } = await openChats(stand, MARIA);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  const isPlayerLoaded = () => requests.some((url) => url.includes("/chat-sticker-player-"));
  await openChat(page, "Rivka");
  await bubbleOf(page, "Hi").waitFor();
  expect(isPlayerLoaded()).toBe(false);

  await page.emulateMedia({ reducedMotion: "no-preference" });
  await openChat(page, "Stickers");
  const log = page.getByRole("log");
  const sticker = log.getByRole("button", { name: /^Sticker: / });
  await log.getByRole("button", { name: "Sticker: Pause" }).waitFor();
  /** The pixels of the sticker, as far as they have the colour of the square. */
  const square = () =>
    page.evaluate<string>(`(() => {
      const canvas = document.querySelector("button[aria-label^='Sticker: '] canvas");
      const { data } = canvas.getContext("2d").getImageData(0, canvas.height / 2, canvas.width, 1);
      return Array.from({ length: canvas.width }, (_, x) => (data[x * 4 + 2] > 200 && data[x * 4 + 3] > 200 ? 1 : 0)).join("");
    })()`);
  await until(async () => (await square()).includes("1"));
  const seen = await square();
  await until(async () => (await square()) !== seen);
  expect(isPlayerLoaded()).toBe(true);
  await sticker.click();
  await log.getByRole("button", { name: "Sticker: Play, 0:01" }).waitFor();
  const stopped = await square();
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  expect(await square()).toBe(stopped);
  await sticker.press("Enter");
  await until(async () => (await square()) !== stopped);
  await checkLook(page, "chat-sticker");

  // A picture at an address of the file's choice, and what is no sticker at all, are files.
  await send(
    movingSticker({ assets: [{ id: "a", u: "https://tracker.example/", p: "seen.png", w: 1, h: 1 }] }),
  );
  await send(Buffer.from("no gzip").toString("base64"));
  await until(async () => (await log.getByRole("link", { name: /^sticker\.tgs/ }).count()) === 2);
  expect(requests.filter((url) => url.includes("tracker.example"))).toEqual([]);

  const { page: calm } = await openChats(stand, MARIA);
  await openChat(calm, "Stickers");
  const calmSticker = calm.getByRole("log").getByRole("button", { name: "Sticker: Play, 0:01" });
  await calmSticker.scrollIntoViewIfNeeded();
  await client.write({ kind: "sticker", format: "webp" });
  await calm.getByRole("log").getByRole("button", { name: "Open photo" }).locator("canvas").waitFor();
  // The page that lets pictures move shows the picture itself.
  await log.getByRole("button", { name: "Open photo" }).locator("img").waitFor();
});

test("printed, the page is the loaded conversation alone", async () => {
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "History");
  const log = page.getByRole("log");
  await log.getByText("Message 300.", { exact: true }).waitFor();
  await page.emulateMedia({ media: "print" });
  await log.getByText("Message 260.", { exact: true }).waitFor();
  expect(await page.getByRole("navigation").isVisible()).toBe(false);
  expect(await page.getByRole("textbox", { name: "Message" }).isVisible()).toBe(false);
  const [first, last] = [
    await boxOf(log.getByRole("article").first()),
    await boxOf(log.getByText("Message 300.", { exact: true })),
  ];
  expect(last.y).toBeGreaterThan(first.y + 1_000);
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("textbox", { name: "Message" }).waitFor();
});

test("400 % zoom: a conversation is read and answered in 320 by 200 pixels", async () => {
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Rivka");
  await resize(page, { width: 320, height: 200 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  const field = page.getByRole("textbox", { name: "Message" });
  await field.scrollIntoViewIfNeeded();
  await field.fill("At 400 %");
  const send = await boxOf(page.getByRole("button", { name: "Send", exact: true }));
  expect(send.y + send.height).toBeLessThanOrEqual(200);
  expect((await boxOf(page.getByRole("log"))).height).toBeGreaterThan(40);
});

test("without JavaScript, a sentence says so", async () => {
  const window = await openWindow(stand.browser, { javaScriptEnabled: false });
  closeWithTest(window);
  await window.page.goto(await chatsLink(stand, MARIA));
  const note = window.page.locator("noscript");
  await note.waitFor();
  expect(await note.textContent()).toContain("This page needs JavaScript.");
});

test.each([
  ["pt-BR", "Nome, telefone ou texto", "Escrever para Rivka", "Ainda não está no CRM"],
  ["es-MX", "Nombre, teléfono o texto", "Escribir a Rivka", "Todavía no está en el CRM"],
])("the whole page in %s, loaded when it is chosen", async (tag, search, placeholder, notInCrm) => {
  const loaded: string[] = [];
  const window = await openWindow(stand.browser, { width: 1280, locale: tag });
  closeWithTest(window, { faultless: true });
  const { page } = window;
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await page.goto(await chatsLink(stand, MARIA));
  await page.getByRole("searchbox", { name: search }).waitFor();
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /^Rivka/ })
    .click();
  await page.getByPlaceholder(placeholder).waitFor();
  await page.getByText(notInCrm).waitFor();
  const language = tag.slice(0, 2);
  expect(await page.evaluate("document.documentElement.lang")).toBe(language === "pt" ? "pt-BR" : "es");
  const texts = loaded.filter((path) => /\/assets\/(?:en|ru|es|pt)-/.test(path));
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter((path) => !path.includes(`/${language}-`))).toEqual([]);
  await checkLook(page, `chat-${language}`);
});

test("the filters are one line in every language, with many unanswered messages", async () => {
  const { page } = await openChats(stand, MARIA);
  await page.route("**/app/api/unanswered*", (route) => route.fulfill({ json: { counter: 88_888 } }));
  for (const language of ["en", "ru", "es", "pt-BR"]) {
    await page.goto(`${await chatsLink(stand, MARIA)}&lang=${language}`);
    const filters = page.locator("fieldset").filter({ hasText: "88888" });
    const buttons = filters.getByRole("button");
    await buttons.nth(3).waitFor();
    // With a list of its smallest width, beside a conversation, and alone on the page.
    for (const width of [320, 360, 600, 1280]) {
      await resize(page, { width });
      const place = `${language} ${width}`;
      const isCut = (each: Locator) => each.evaluate((one) => one.scrollWidth > one.clientWidth);
      const boxes = await Promise.all([0, 1, 2, 3].map((index) => buttons.nth(index).boundingBox()));
      expect(new Set(boxes.map((box) => box?.y)).size, place).toBe(1);
      const ends = boxes.map((box) => Number(box?.x) + Number(box?.width));
      expect(
        boxes.slice(1).every((box, index) => Number(box?.x) >= Number(ends[index])),
        place,
      ).toBe(true);
      expect(await Promise.all([0, 1, 2].map((index) => isCut(buttons.nth(index)))), place).toEqual([
        false,
        false,
        false,
      ]);
    }
  }
});
