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

test("a frame whose page was led here by another site can be loaded all the same: the browser decides", async () => {
  const directory = mkdtempSync(join(tmpdir(), "pages-"));
  writeFileSync(join(directory, "chat.html"), "the page");
  const app = fastify() as unknown as App;
  onTestFinished(async () => {
    await app.close();
    rmSync(directory, { recursive: true });
  });
  const db = { query: async () => [{ frame_origins: ["https://crm.example", "https://a;b.example"] }] };
  pageRoutes(app, { db } as unknown as Core, { directory, ready: Promise.resolve() });
  const url = "/app/chats?ticket=a%22b&lang=en";
  const led = { "sec-fetch-dest": "iframe", referer: "https://login.example/" };
  const refused = await app.inject({ url, headers: led });
  expect(refused.statusCode).toBe(403);
  const [, link = ""] = /<a href="(\?[^"]+)" rel="noreferrer">/.exec(refused.body) ?? [];
  expect(link.replaceAll("&amp;", "&")).toBe("?ticket=a%22b&lang=en");
  // A browser follows it without a referrer.
  const loaded = await app.inject({
    url: `/app/chats${link.replaceAll("&amp;", "&")}`,
    headers: { "sec-fetch-dest": "iframe" },
  });
  expect(loaded.statusCode).toBe(200);
  expect(loaded.body).toBe("the page");
  expect(loaded.headers["content-security-policy"]).toMatch(/frame-ancestors https:\/\/crm\.example$/);
});
