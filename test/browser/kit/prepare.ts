import { existsSync } from "node:fs";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { builtPages } from "../../../src/service/pages.ts";

/**
 * Runs before the first file: unpacks Chromium and builds the pages, so that workers do not do it concurrently.
 * Without pages every test would wait until its timeout.
 */
export default async function prepare(): Promise<void> {
  await chromium.executablePath();
  const log = { info: () => undefined, warn: (...told: unknown[]) => console.error(...told) };
  const { directory, ready } = builtPages(log);
  await ready;
  const missing = ["chat", "connect", "console", "phone"].filter(
    (page) => !existsSync(join(directory, `${page}.html`)),
  );
  if (missing.length > 0)
    throw new Error(`Pages are not built: ${missing.join(", ")}. Run "npm ci" and "npm run pages".`);
}
