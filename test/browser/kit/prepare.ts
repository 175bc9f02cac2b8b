import chromium from "@sparticuz/chromium";
import { builtPages } from "../../../src/pages.ts";

/** Before the first file: unpacks Chromium and builds the pages, which several workers would do at once. */
export default async function prepare(): Promise<void> {
  await chromium.executablePath();
  await builtPages({ info: () => undefined, warn: (...told: unknown[]) => console.error(...told) }).ready;
}
