import type { Locator } from "playwright-core";
import { vi } from "vitest";
import { readQr } from "../../../sandbox/qr-reader.ts";
import type { BrowserStand } from "./stand.ts";

/** A phone of WhatsApp scans the code of this picture; once more if a new one has replaced it meanwhile. */
export async function scanCode(stand: BrowserStand, image: Locator, phone: string): Promise<void> {
  await vi.waitUntil(
    async () => {
      const source = await image.getAttribute("src");
      const qr = source === null ? "" : readQr(source);
      if (qr === "") return false;
      try {
        await stand.admin("whatsapp", `POST /people/${phone}/scans`, { qr });
      } catch (error) {
        if (!String(error).includes("expired_qr")) throw error;
        return false;
      }
      return true;
    },
    { timeout: 90_000, interval: 200 },
  );
}
