import { writeFile } from "node:fs/promises";
import chromium from "@sparticuz/chromium";
import axe from "axe-core";
import {
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
  chromium as playwright,
} from "playwright-core";
import { expect, onTestFinished, vi } from "vitest";
import { withPalette } from "./palette.ts";

// One process for everything would end with the first window that is closed. Drawing by an emulated graphics processor
// costs more than drawing without one.
const UNWANTED =
  /^--(headless|single-process|no-zygote|in-process-gpu|ignore-gpu-blocklist|use-gl|use-angle|enable-unsafe-swiftshader)/;

/**
 * A Chromium from npm that also runs as root; ends with `close`. It draws scroll bars only on request. `microphone`: it
 * has one that beeps, whose use a person allows or denies.
 */
export async function startBrowser({
  scrollBars = false,
  microphone,
}: {
  readonly scrollBars?: boolean;
  readonly microphone?: "allowed" | "denied";
} = {}): Promise<Browser> {
  const beeping = [
    "--use-fake-device-for-media-stream",
    `--use-fake-ui-for-media-stream${microphone === "denied" ? "=deny" : ""}`,
  ];
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    ...(scrollBars ? { ignoreDefaultArgs: ["--hide-scrollbars"] } : {}),
    args: [
      ...chromium.args.filter((arg) => !UNWANTED.test(arg)),
      "--disable-gpu",
      ...(microphone === undefined ? [] : beeping),
    ],
  });
}

/**
 * Does something and sees the message that is shown then for a few seconds. The page itself records it: a machine that
 * stops meanwhile would look too late.
 */
export async function untilToast(page: Page, message: string | RegExp, act: () => unknown): Promise<void> {
  await page.evaluate(`(() => {
    const toasts = (globalThis.toasts = []);
    const look = () => {
      for (const each of document.querySelectorAll("[role=status] > p"))
        if (each.checkVisibility()) toasts.push(each.textContent);
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
  })()`);
  await act();
  const isMeant = (text: string): boolean =>
    typeof message === "string" ? text.includes(message) : message.test(text);
  await vi.waitUntil(async () => (await page.evaluate<string[]>("toasts")).some(isMeant), {
    timeout: 60_000,
  });
}

export interface Look {
  readonly theme: "light" | "dark";
  readonly width: 320 | 360 | 768 | 1280;
}

const LOOKS: readonly Look[] = [
  { theme: "light", width: 360 },
  { theme: "dark", width: 360 },
  { theme: "light", width: 768 },
  { theme: "dark", width: 768 },
  { theme: "light", width: 1280 },
  { theme: "dark", width: 1280 },
];

export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Script errors and console errors. */
  readonly problems: string[];
}

/** Opens an isolated window: no shared state, no animations, and every script error fails the test. */
export async function openWindow(
  browser: Browser,
  { locale = "en-US", width = 360, hasTouch = false, javaScriptEnabled = true } = {},
): Promise<Window> {
  const context = await browser.newContext({
    locale,
    viewport: { width, height: 800 },
    hasTouch,
    javaScriptEnabled,
    reducedMotion: "reduce",
    // axe is put into the page past its policy; that the policy holds, the tests say.
    bypassCSP: false,
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.stack ?? String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d|status of 503/.test(message.text()))
      problems.push(message.text());
  });
  return { context, page, problems };
}

/**
 * Closes the window with the test; `faultless`: problems fail the test. A failed test prints what its pages and their
 * frames show, and the problems.
 */
export function closeWithTest({ context, problems }: Window, { faultless = false } = {}): void {
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") {
      for (const frame of context.pages().flatMap((page) => page.frames())) {
        const shown = await frame.locator("body").ariaSnapshot({ timeout: 5_000 }).catch(String);
        console.error(`${frame.url()} shows:\n${shown}`);
      }
      console.error(`Problems of the pages:\n${problems.join("\n")}`);
    }
    // A response that a test holds or changes may be under way.
    const routed = [context, ...context.pages()];
    await Promise.all(routed.map((each) => each.unrouteAll({ behavior: "ignoreErrors" })));
    await context.close();
    if (faultless) expect(problems).toEqual([]);
  });
}

/** A place in the window, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Throws if it is not shown. */
export const boxOf = async (element: Locator): Promise<Box> => {
  const box = await element.boundingBox();
  if (box === null) throw new Error("It is not shown");
  return box;
};

/** Holds the response to the page's next request of this kind. */
export async function holdAnswer(
  page: Page,
  method: string,
  address: string,
): Promise<{
  /** Resolves when the service has responded. */
  readonly answered: Promise<void>;
  /** Resolves when the page has processed the response. */
  readonly release: () => Promise<void>;
}> {
  const [answered, released, taken] = [deferred(), deferred(), deferred()];
  let isHeld = false;
  await page.route(address, async (route) => {
    if (isHeld || route.request().method() !== method) return route.fallback();
    isHeld = true;
    const response = await route.fetch();
    answered.resolve();
    await released.promise;
    await route.fulfill({ response });
    taken.resolve();
  });
  return {
    answered: answered.promise,
    async release() {
      released.resolve();
      await taken.promise;
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))");
    },
  };
}

const deferred = () => Promise.withResolvers<void>();

const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules that a theme can break, since it only changes colours. */
const COLOUR_RULES = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** All violations that axe finds on the page, and horizontal overflow, in both themes and at these widths. */
export async function findProblems(page: Page, widths: readonly number[] = [320, 1280]): Promise<string[]> {
  const found: string[] = [];
  for (const [theme, rules] of [["light", ALL_RULES] as const, ["dark", COLOUR_RULES] as const])
    for (const width of widths) {
      await page.emulateMedia({ colorScheme: theme });
      await resize(page, { width });
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      if (Number(overflow) > 0) found.push(`${theme} ${width}: scrolls sideways by ${overflow}`);
      for (const violation of await runAxe(page, rules)) found.push(`${theme} ${width}: ${violation}`);
    }
  return found;
}

const TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

/** Gives the page another size, of which its scripts learn only with the next frame, and waits until it is drawn. */
export async function resize(page: Page, { width, height = 800 }: Size): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.evaluate(
    `(async () => { do await ${TWO_FRAMES}; while (innerWidth !== ${width} || innerHeight !== ${height}); })()`,
  );
}

interface Size {
  readonly width: number;
  readonly height?: number;
}

/**
 * Parts out of view that the browser leaves out have an estimated height and contents of their own height, which seem to
 * cover the next part. axe measures them as if they were drawn.
 */
const HOLD_STILL = "* { content-visibility: visible !important; scroll-behavior: auto !important; }";

async function runAxe(page: Page, rules: object): Promise<string[]> {
  // Protocol evaluation is not subject to the page's policy. Reading its source takes a third of a check.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    `(async () => {
      // The page's policy refuses style elements, but not this.
      const still = new CSSStyleSheet();
      still.replaceSync(${JSON.stringify(HOLD_STILL)});
      document.adoptedStyleSheets.push(still);
      await ${TWO_FRAMES};
      try {
        return await axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], runOnly: rules })});
      } finally {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== still);
      }
    })()`,
  )) as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/**
 * Checks this state of the page in every theme and width, and saves screenshots from this section on as
 * `docs/images/<name>-<width>-<theme>.png`.
 */
export async function checkLook(page: Page, name: string, part?: Locator): Promise<void> {
  const found = await findProblems(page);
  if (process.env["SCREENSHOTS"] === "1")
    for (const { theme, width } of LOOKS) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: 800 });
      await part?.evaluate("(element) => element.scrollIntoView()");
      const picture = await page.screenshot({ animations: "disabled" });
      await writeFile(
        new URL(`../../../docs/images/${name}-${width}-${theme}.png`, import.meta.url),
        withPalette(picture),
      );
    }
  expect(found, name).toEqual([]);
}
