import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { checkLook, closeWithTest, holdAnswer, openWindow, resize, startBrowser } from "./kit/browser.ts";
import { chatsLink, MARIA, openChat, openChats, openShop, seesOnce } from "./kit/chat.ts";
import { storeChats } from "./kit/history.ts";
import { startStallingProxy } from "./kit/stalling-proxy.ts";
import { type BrowserStand, startBrowserStand } from "./kit/stand.ts";

// The chat page with long threads, long texts, names of any length and script, and a slow network.

let stand: BrowserStand;
let channelId: string;
beforeAll(async () => {
  stand = await startBrowserStand();
  ({ channelId } = await openShop(stand, "Anyone", 7001));
});
afterAll(() => stand?.close());

describe("a thread of 3,000 messages", () => {
  const COUNT = 3_000;
  beforeAll(() =>
    storeChats(stand, channelId, [
      { name: "Thread", texts: Array.from({ length: COUNT }, (_, index) => `Message ${index + 1}.`) },
    ]),
  );

  /** Ways to scroll up by much; each is repeated until the start is reached. */
  const ways: Readonly<Record<string, (page: Page, log: Locator) => Promise<unknown>>> = {
    "the Home key": (_, log) => log.press("Home"),
    "a fast wheel": (page) => page.mouse.wheel(0, -1_000_000),
    async swipes(page, log) {
      const { x, y, height } = await boxOf(log);
      const devtools = await page.context().newCDPSession(page);
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", at?: number) =>
        devtools.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: at === undefined ? [] : [{ x: x + 100, y: y + at }],
        });
      const moves = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((tenth) => ["touchMove", (height * tenth) / 10] as const);
      const steps = [["touchStart", 5] as const, ...moves, ["touchEnd"] as const];
      await Promise.all(steps.map(([type, at]) => touch(type, at)));
      await devtools.detach();
    },
    async "the scroll bar"(page, log) {
      const { x, y, width } = await boxOf(log);
      await page.mouse.move(x + width - 7, y + (await thumbOf(log)));
      await page.mouse.down();
      await page.mouse.move(x + width - 7, 0, { steps: 3 });
      await page.mouse.up();
    },
  };

  test.each(Object.keys(ways))("its start is reached with %s", async (way) => {
    const browser = await startBrowser({ scrollBars: way === "the scroll bar" });
    onTestFinished(() => browser.close());
    const { page } = await openChats({ ...stand, browser }, MARIA, { hasTouch: way === "swipes" });
    await openChat(page, "Thread");
    const log = page.getByRole("log");
    await log.getByText(`Message ${COUNT}.`, { exact: true }).waitFor();
    await log.hover();
    for (let place = await placeOf(page); !place.isStart; place = await placeOf(page, place))
      await ways[way]?.(page, log);
  });
});

describe("texts and names of any length", () => {
  /** 64 KB each, of the shortest marks. */
  const MARKS = `${"*a* ".repeat(16_000)}the end`;
  const WORDS = `${"word ".repeat(13_000)}the end`;

  test("a thread of long texts has few elements, and each text is shown to its end in pieces", async () => {
    const texts = [...Array.from({ length: 9 }, () => MARKS), WORDS];
    await storeChats(stand, channelId, [{ name: `Writer ${"of long names ".repeat(4_000)}`, texts }]);
    const { page } = await openChats(stand, MARIA);
    await openChat(page, "Writer");
    const log = page.getByRole("log");
    await log.getByText("word word").first().waitFor();
    const bubble = log.getByRole("article").last();
    const count = (what: string) => page.locator(what).count();
    await expect.poll(() => log.getByRole("article").count()).toBeGreaterThan(5);
    expect(await count("strong")).toBeLessThanOrEqual(10 * 300);
    expect(String(await page.evaluate("document.body.textContent.length")).length).toBeLessThanOrEqual(5);
    await checkLook(page, "chat-long-texts");

    const more = bubble.getByRole("button", { name: "Show more" });
    const shown = async () => ((await bubble.textContent()) ?? "").length;
    for (let before = 0; (await more.count()) > 0; ) {
      expect((await shown()) - before).toBeLessThan(10_000);
      before = await shown();
      await more.click();
    }
    expect(await bubble.textContent()).toContain(`${WORDS.slice(-500)}`);
    // The bubble stays extended while it is out of view, and the view has not jumped to its end.
    await log.press("Home");
    await log.press("End");
    await bubble.getByText("the end").waitFor();
    expect(await more.count()).toBe(0);
  });

  test("a row of the list shows its time and its marks beside the longest names and lines", async () => {
    const long = [
      "Wolfeschlegelsteinhausenbergerdorff".repeat(3),
      "Константинопольская Александра Владиславовна, склад № 14",
      "عبد الرحمن بن محمد بن عبد العزيز آل الشيخ الفلاني",
      "אברהם יצחק יעקב בן־גוריון הלוי מתל אביב והסביבה כולה",
      "欧阳修远诸葛孔明司马相如上官婉儿夏侯惇令狐冲独孤求败",
      "👨‍👩‍👧‍👦".repeat(30),
      "คุณสมชายใจดีมีสุขทรัพย์เจริญรุ่งเรืองตลอดกาลนานเทอญ",
      "short",
    ];
    await storeChats(
      stand,
      channelId,
      long.map((name, index) => ({
        name,
        texts: Array.from({ length: index % 2 === 0 ? 1 : 130 }, () => `${name} ${name}`),
        unread: index % 3 === 0 ? 0 : 130,
      })),
    );
    const { page } = await openChats(stand, MARIA);
    const list = page.getByRole("navigation");
    await list.getByRole("button", { name: /^short/ }).waitFor();
    for (const width of [320, 600, 1280]) {
      await resize(page, { width, height: 900 });
      const clipped = await list.evaluate((element: Measured) =>
        [...element.querySelectorAll("time, [data-mark]")]
          .filter((part) => {
            const [inner, outer] = [part.getBoundingClientRect(), element.getBoundingClientRect()];
            return inner.left < outer.left || inner.right > outer.right || inner.width === 0;
          })
          .map(({ textContent }) => textContent),
      );
      expect(clipped, `at ${width} pixels`).toEqual([]);
    }
    expect(await list.locator("[data-mark]").count()).toBeGreaterThan(4);
    await checkLook(page, "chat-names");
  });
});

test("the lists are loaded once at the opening, and changes in between come by the stream", async () => {
  const shop = await openShop(stand, "Between", 7002);
  const window = await openWindow(stand.browser, { width: 1280 });
  closeWithTest(window, { faultless: true });
  const { page } = window;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  // The response is older than the message, which the stream of the session brings.
  const list = await holdAnswer(page, "GET", "**/app/api/chats?*");
  await page.goto(await chatsLink(stand, MARIA));
  await list.answered;
  await shop.write({ text: "Written in between" });
  const row = page.getByRole("navigation").getByRole("button", { name: /^Between/ });
  await row.getByText("Written in between").waitFor();
  await list.release();
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /^Anyone/ })
    .waitFor();
  expect(await row.getByText("Written in between").count()).toBe(1);
  const count = (path: string) => asked.filter((each) => each === `/app/api/${path}`).length;
  expect([count("chats"), count("chat-channels"), count("stream")]).toEqual([1, 1, 0]);
});

test("a network that stalls is shown, and what was missed comes with another connection", async () => {
  const shop = await openShop(stand, "Stalled", 7003);
  const proxy = await startStallingProxy(stand.url);
  onTestFinished(proxy.close);
  const window = await openWindow(stand.browser, { width: 1280 });
  closeWithTest(window);
  const { page } = window;
  await page.clock.install();
  await page.goto((await chatsLink(stand, MARIA)).replace(stand.url, proxy.url));
  await openChat(page, "Stalled");
  await shop.write({ text: "Before it" });
  await seesOnce(page, "Before it");
  // From now on time passes for the page only where the test says so.
  await page.clock.pauseAt(Date.now() + 1_000);
  proxy.stall();
  for (let index = 1; index <= 8; index++) await shop.write({ text: `Meanwhile ${index}` });
  const notice = page.getByText("No connection. Trying again");
  expect(await notice.count()).toBe(0);
  await page.clock.fastForward(12_000);
  await page.clock.resume();
  await notice.waitFor();
  proxy.resume();
  await seesOnce(page, "Meanwhile 8");
  await notice.waitFor({ state: "detached" });
  expect(
    await page
      .getByRole("log")
      .getByText(/^Meanwhile/)
      .count(),
  ).toBe(8);
});

interface Measured {
  getBoundingClientRect(): { readonly left: number; readonly right: number; readonly width: number };
  querySelectorAll(selector: string): Iterable<Measured>;
  readonly textContent: string;
}

interface Place {
  readonly first: string;
  readonly top: number;
  readonly isStart: boolean;
}

/** The first message in the document and the position of the view, once they differ from `before`. */
function placeOf(page: Page, before: Place | null = null): Promise<Place> {
  return page.evaluate(`new Promise((resolve) => {
    const before = ${JSON.stringify(before)};
    const look = () => {
      const log = document.querySelector("[role=log]");
      const first = log.querySelector("article")?.textContent.slice(0, 13) ?? "";
      if (log.scrollTop !== before?.top || first !== before?.first)
        resolve({ first, top: log.scrollTop, isStart: first.startsWith("Message 1.") });
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

const boxOf = async (log: Locator) => ({ x: 0, y: 0, width: 0, height: 0, ...(await log.boundingBox()) });

/** Height of an arrow at the end of a scroll bar. */
const ARROW = 15;
/** The middle of the scroll bar's thumb, in pixels from the top. */
const thumbOf = (log: Locator): Promise<number> =>
  log.evaluate(
    (
      {
        scrollTop,
        scrollHeight,
        clientHeight,
      }: { scrollTop: number; scrollHeight: number; clientHeight: number },
      arrow,
    ) => {
      const track = clientHeight - 2 * arrow;
      const thumb = Math.max(24, (track * clientHeight) / scrollHeight);
      return arrow + thumb / 2 + (scrollTop / Math.max(1, scrollHeight - clientHeight)) * (track - thumb);
    },
    ARROW,
  );
