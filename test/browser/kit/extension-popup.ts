import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { builtExtension } from "../../kit/fake-chrome.ts";

/** The window of the extension's button over a tab with this address; `allowed`: the origins that may ask already. */
export async function openPopup(
  page: Page,
  { tab, allowed, language }: { tab: string; allowed: readonly string[]; language: "en" | "ru" },
): Promise<void> {
  const directory = await builtExtension();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const messages = await readFile(join(directory, "_locales", language, "messages.json"), "utf8");
  await page.addInitScript(`
    const messages = ${messages};
    const granted = new Set(${JSON.stringify(allowed.map((origin) => `${origin}/*`))});
    globalThis.granted = granted;
    globalThis.chrome = {
      i18n: {
        getMessage: (name, [site] = []) => messages[name].message.replace("$SITE$", site),
        getUILanguage: () => ${JSON.stringify(language)},
      },
      tabs: { query: async () => [{ id: 1, url: ${JSON.stringify(tab)} }] },
      permissions: {
        contains: async ({ origins }) => origins.every((each) => granted.has(each)),
        request: async ({ origins }) => origins.forEach((each) => granted.add(each)),
        remove: async ({ origins }) => origins.forEach((each) => granted.delete(each)),
      },
    };
  `);
  await page.route("https://extension.example/**", async (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    await route.fulfill({ path: join(directory, name) });
  });
  await page.goto("https://extension.example/popup.html");
}
