import { expect, test } from "vitest";
import { html } from "../../platform/foreign/html.ts";
import { page, pageHeaders } from "./page.ts";

test("the title is escaped in both places", () => {
  const text = page("A <b>", html``);
  expect(text).toContain("<title>A &lt;b&gt;</title>");
  expect(text).toContain("<h1>A &lt;b&gt;</h1>");
});

test("the policy names the style and nothing else", () => {
  const { "content-security-policy": policy } = pageHeaders({ frames: "'none'" });
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  const formTargets = ["https://crm.example"];
  expect(pageHeaders({ frames: "*", formTargets })["content-security-policy"]).toContain(
    "form-action 'self' https://crm.example; base-uri 'none'; frame-ancestors *",
  );
});
