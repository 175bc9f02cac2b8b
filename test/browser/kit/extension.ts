import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { builtExtension, FakeChrome } from "../../kit/fake-chrome.ts";
import { closeWithTest, openWindow } from "./browser.ts";
import { openGenuine } from "./genuine-extension.ts";
import { type BrowserPasskey, emulateSite, storePasskey } from "./passkey.ts";
import type { BrowserStand } from "./stand.ts";

/** A Chromium that loads extensions, which the one from npm does not; if set, the tests use the extension as it is. */
const CHROMIUM = process.env["EXTENSION_CHROMIUM"];

interface ExtensionWindow {
  readonly context: BrowserContext;
  readonly page: Page;
}

/**
 * A browser with the extension, allowed on the service's pages, and with this passkey on WhatsApp's site. Without
 * `EXTENSION_CHROMIUM`, the built scripts run in their pages, and the background script in this process.
 */
export async function openWithExtension(
  stand: BrowserStand,
  passkey: BrowserPasskey,
  options: { readonly confirms: () => boolean },
): Promise<ExtensionWindow> {
  const directory = await builtExtension();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return CHROMIUM === undefined
    ? openEmulated(stand, directory, { passkey, ...options })
    : openGenuine(CHROMIUM, stand.url, directory, { passkey, ...options });
}

export interface Setup {
  readonly passkey: BrowserPasskey;
  readonly confirms: () => boolean;
}

async function openEmulated(
  stand: BrowserStand,
  directory: string,
  { passkey, confirms }: Setup,
): Promise<ExtensionWindow> {
  const window = await openWindow(stand.browser);
  closeWithTest(window);
  const { context, page } = window;
  await emulateSite(context);
  const tabs: Page[] = [page];
  const chrome = new FakeChrome({
    async create({ url }) {
      const tab = await context.newPage();
      const tabId = tabs.push(tab) - 1;
      await storePasskey(tab, passkey, { confirms: confirms() });
      tab.on("load", () => chrome.loaded(tabId));
      tab.on("close", () => chrome.closed(tabId));
      await tab.goto(url, { waitUntil: "commit" });
      return tabId;
    },
    close: async (tabId) => tabs[tabId]?.close(),
    run: async (tabId, code) => tabs[tabId]?.evaluate(code),
    tell: async (tabId, message) => tabs[tabId]?.evaluate(`relayed(${JSON.stringify(message)})`),
  });
  onTestFinished(() => void Reflect.deleteProperty(globalThis, "chrome"));
  await chrome.start(directory);
  chrome.allow(stand.url);
  await context.exposeBinding("toBackground", ({ page: tab, frame }, message: unknown) => {
    const id = tabs.indexOf(tab);
    const { origin } = new URL(frame.url());
    chrome.message(message, { tab: { id }, frameId: 0, documentId: "shown", origin });
  });
  await context.addInitScript(`
    globalThis.chrome = { runtime: {
      sendMessage: (message) => toBackground(message),
      onMessage: { addListener: (listener) => { globalThis.relayed = listener; } },
    } };
    if (location.origin === ${JSON.stringify(stand.url)}) { ${await readFile(join(directory, "page.js"), "utf8")} }
  `);
  return window;
}
