import { existsSync, readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Browser, builtExtension, FakeChrome } from "./kit/fake-chrome.ts";

let directory: string;
beforeAll(async () => {
  directory = await builtExtension();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const SERVICE = "https://crm.example";
const PAGE = { tab: { id: 1 }, frameId: 0, documentId: "page", origin: SERVICE };
const SITE = { tab: { id: 7 }, frameId: 0, documentId: "site", origin: "https://web.whatsapp.com" };
const REQUEST = { challenge: "Y2hhbGxlbmdl", rpId: "whatsapp.com" };
const ASK = { kind: "ask", id: "first", request: REQUEST };
const ANSWER = { rawId: "AAAA", response: { signature: "AAAA" } };

/** The background script, and what it has done to the browser. */
async function start() {
  const done: {
    readonly opened: string[];
    readonly ran: number[];
    readonly closed: number[];
    readonly told: unknown[];
  } = { opened: [], ran: [], closed: [], told: [] };
  let nextTab = 7;
  const browser: Browser = {
    create: async ({ url }) => {
      done.opened.push(url);
      return nextTab++;
    },
    close: async (tabId) => {
      done.closed.push(tabId);
      chrome.closed(tabId);
    },
    run: async (tabId) => void done.ran.push(tabId),
    tell: async (tabId, message, documentId) => void done.told.push([tabId, documentId, message]),
  };
  const chrome = new FakeChrome(browser);
  onTestFinished(() => void Reflect.deleteProperty(globalThis, "chrome"));
  await chrome.start(directory);
  chrome.allow(SERVICE);
  await vi.waitUntil(() => chrome.registered.length === 1);
  return { chrome, done };
}

const result = (told: object, id = "first") => [[1, "page", { kind: "result", id, ...told }]];

/** A ceremony that runs in tab 7. */
async function begun() {
  const started = await start();
  started.chrome.message(ASK, PAGE);
  await vi.waitUntil(() => started.done.opened.length === 1);
  started.chrome.loaded(7);
  await vi.waitUntil(() => started.done.ran.length === 1);
  return started;
}

test("a page of an allowed service gets the answer of WhatsApp's site, once", async () => {
  const { chrome, done } = await begun();
  expect(done).toMatchObject({ opened: ["https://web.whatsapp.com/"], ran: [7] });
  // A page that reloads does not ask again.
  chrome.loaded(7);
  chrome.message({ kind: "result", answer: ANSWER }, SITE);
  await vi.waitUntil(() => done.closed.length > 0);
  chrome.message({ kind: "result", answer: ANSWER }, SITE);
  chrome.message({ ...ASK, id: "second" }, PAGE);
  await vi.waitUntil(() => done.opened.length === 2);
  expect(done).toMatchObject({ ran: [7], closed: [7], told: result({ answer: ANSWER }) });
});

test("the background script may be stopped and started in between", async () => {
  const { chrome, done } = await begun();
  await chrome.start(directory);
  chrome.message({ kind: "result", answer: ANSWER }, SITE);
  await vi.waitUntil(() => done.closed.length > 0);
  expect(done.told).toContainEqual([1, "page", { kind: "result", id: "first", answer: ANSWER }]);
});

describe("nothing is opened for", () => {
  test.each<[string, object, object]>([
    ["a site that was not allowed", ASK, { ...PAGE, origin: "https://foreign.example" }],
    ["another port of an allowed service", ASK, { ...PAGE, origin: `${SERVICE}:8443` }],
    ["an unencrypted page", ASK, { ...PAGE, origin: "http://crm.example" }],
    ["a page without an origin", ASK, { ...PAGE, origin: "null" }],
    ["WhatsApp's own site", ASK, SITE],
    ["another extension", ASK, { ...PAGE, id: "another" }],
    ["a passkey of another site", { ...ASK, request: { ...REQUEST, rpId: "bank.example" } }, PAGE],
    ["a request without a site", { ...ASK, request: { challenge: "AAAA" } }, PAGE],
    ["a huge request", { ...ASK, request: { ...REQUEST, more: "x".repeat(16 * 1024) } }, PAGE],
    ["no request", { kind: "ask", id: "first" }, PAGE],
  ])("%s", async (_, message, sender) => {
    const { chrome, done } = await start();
    chrome.message(message, sender);
    // The next event is processed after it.
    chrome.message({ ...ASK, id: "after" }, PAGE);
    await vi.waitUntil(() => done.opened.length > 0);
    chrome.loaded(7);
    chrome.message({ kind: "result", answer: ANSWER }, SITE);
    await vi.waitUntil(() => done.closed.length > 0);
    expect(done.opened).toHaveLength(1);
    expect(done.told).toContainEqual([1, "page", { kind: "result", id: "after", answer: ANSWER }]);
    expect(done.told).not.toContainEqual([1, "page", { kind: "result", id: "first", answer: ANSWER }]);
  });

  test("a service that is not allowed any more", async () => {
    const { chrome, done } = await start();
    chrome.revoke(SERVICE);
    chrome.message(ASK, PAGE);
    await vi.waitUntil(() => done.told.length > 0);
    expect(done).toMatchObject({ opened: [], told: result({ reason: "failed" }) });
    expect(chrome.registered).toEqual([]);
  });
});

describe("an answer counts only from the ceremony's own tab", () => {
  test.each([
    ["another tab", { ...SITE, tab: { id: 8 } }],
    ["another site", { ...SITE, origin: "https://foreign.example" }],
    ["a frame", { ...SITE, frameId: 3 }],
  ])("not from %s", async (_, sender) => {
    const { chrome, done } = await begun();
    chrome.message({ kind: "result", answer: { forged: true } }, sender);
    chrome.message({ kind: "result", answer: ANSWER }, SITE);
    await vi.waitUntil(() => done.closed.length > 0);
    expect(done.told).toEqual(result({ answer: ANSWER }));
  });
});

test.each<[string, (chrome: FakeChrome) => void, object]>([
  ["WhatsApp's tab is closed", (chrome) => chrome.closed(7), { reason: "cancelled" }],
  ["the asking page is closed", (chrome) => chrome.closed(1), { reason: "cancelled" }],
  [
    "the person cancels",
    (chrome) => chrome.message({ kind: "result", reason: "cancelled" }, SITE),
    { reason: "cancelled" },
  ],
  [
    "another request follows",
    (chrome) => chrome.message({ ...ASK, id: "next" }, PAGE),
    { reason: "cancelled" },
  ],
  [
    "the answer is huge",
    (chrome) => chrome.message({ kind: "result", answer: { more: "x".repeat(16 * 1024) } }, SITE),
    { reason: "failed" },
  ],
])("it ends, and the page is told, if %s", async (_, act, told) => {
  const { chrome, done } = await begun();
  act(chrome);
  await vi.waitUntil(() => done.told.length > 0);
  expect(done.told).toEqual(result(told));
});

test("the extension asks for as few permissions as it can, and has each text in both languages", async () => {
  const manifest = JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8"));
  expect(manifest).toMatchObject({
    permissions: ["activeTab", "scripting", "storage"],
    host_permissions: ["https://web.whatsapp.com/*"],
  });
  for (const key of ["content_scripts", "externally_connectable", "web_accessible_resources"])
    expect(manifest).not.toHaveProperty(key);
  const texts = (language: string) =>
    JSON.parse(readFileSync(join(directory, "_locales", language, "messages.json"), "utf8")) as object;
  expect(Object.keys(texts("ru"))).toEqual(Object.keys(texts("en")));
  for (const icon of Object.values<string>(manifest.icons))
    expect(existsSync(join(directory, icon))).toBe(true);
  // A classic script cannot import.
  expect(readFileSync(join(directory, "page.js"), "utf8")).not.toMatch(/^(import|export)\b/m);
  expect((await readdir(directory)).toSorted()).toEqual([
    "_locales",
    "background.js",
    "ceremony.js",
    "icons",
    "manifest.json",
    "origins.js",
    "page.js",
    "popup.css",
    "popup.html",
    "popup.js",
  ]);
});
