import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInterface } from "../../kit/interface.ts";
import { call } from "../kit/call.ts";
import { startNode, type TestNode } from "../kit/service.ts";

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

test("the description is public, also for programs on other origins", async () => {
  for (const path of ["/openapi.json", "/openapi.json/"]) {
    const { status, headers, json } = await call(node, "GET", path);
    expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(json).toEqual(await describeInterface());
  }
});

test("the page runs and shows only its own content", async () => {
  const { status, headers, text } = await call(node, "GET", "/docs");
  expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  const policy = String(headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe");
  const hashOf = (tag: string): string => {
    const [, content = ""] = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(text) ?? [];
    return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
  };
  expect(policy).toContain(`script-src ${hashOf("script")}`);
  expect(policy).toContain(`style-src ${hashOf("style")}`);
});

test("the page can be used by keyboard and screen reader: the list can be skipped, a search without a hit says so", async () => {
  const { text } = await call(node, "GET", "/docs");
  const [first] = /<a [^>]*>/.exec(text.slice(text.indexOf("<body>"))) ?? [];
  const target = /href="#(\w+)"/.exec(first ?? "")?.[1];
  expect(text).toContain(`<main id="${target}">`);
  expect(text).toMatch(/<input type="search" name="search"[^>]* aria-label="Search routes"/);
  expect(text).toContain('<p id="nothing" role="status"></p>');
});
