import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { servedDescription } from "../../kit/interface.ts";
import { call, outcome } from "../kit/call.ts";
import { startNode, type TestNode } from "../kit/service.ts";
import { testTransports } from "../kit/transports.ts";

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
    expect(json).toEqual(await servedDescription({ transports: testTransports }));
  }
});

test.each(["/docs", "/docs/messages"])("%s runs and shows only its own content", async (path) => {
  const { status, headers, text } = await call(node, "GET", path);
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

test.each(["/docs", "/docs/crm", "/openapi.json", "/app/openapi.json"])(
  "%s is sent compressed, and not again to a client that has it",
  async (path) => {
    const plain = await call(node, "GET", path);
    const packed = await request(node.url + path, { headers: { "accept-encoding": "gzip" } });
    const bytes = Buffer.from(await packed.body.arrayBuffer());
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(bytes).toString()).toBe(plain.text);
    expect(bytes.length).toBeLessThan(plain.text.length / 5);
    expect(packed.headers["etag"]).toBe(plain.headers["etag"]);
    const known = { "if-none-match": `"other", ${plain.headers["etag"]}` };
    const again = await call(node, "GET", path, { headers: known });
    expect([again.status, again.text]).toEqual([304, ""]);
  },
);

test("a section that there is not is refused like any unknown route", async () => {
  for (const name of ["nothing", "pages", "console"])
    expect(outcome(await call(node, "GET", `/docs/${name}`))).toBe("404 NOT_FOUND");
});
