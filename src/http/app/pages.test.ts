import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import type { Core } from "../../core/core.ts";
import type { App } from "../app.ts";
import { pageRoutes } from "./pages.ts";

test.each([
  ["https://crm.example:8443", true],
  ["http://127.0.0.1:3000", true],
  // Names that a browser reports, and that a shell would execute.
  ["https://a$(reboot).example", false],
  ["https://a;reboot;.example", false],
  ["https://a`reboot`.example", false],
])("the refusal of a frame names %s; with a command to paste: %s", async (origin, hasCommand) => {
  const directory = mkdtempSync(join(tmpdir(), "pages-"));
  writeFileSync(join(directory, "chat.html"), "the page");
  const app = fastify() as unknown as App;
  onTestFinished(async () => {
    await app.close();
    rmSync(directory, { recursive: true });
  });
  // Without a ticket nothing is looked up.
  pageRoutes(app, {} as Core, { directory, ready: Promise.resolve() });
  const headers = { "sec-fetch-dest": "iframe", referer: `${origin}/` };
  const { statusCode, body } = await app.inject({ url: "/app/chats", headers });
  expect(statusCode).toBe(403);
  expect(body).toContain(`let <code>${origin}</code> show`);
  expect(body.includes("--origins")).toBe(hasCommand);
});
