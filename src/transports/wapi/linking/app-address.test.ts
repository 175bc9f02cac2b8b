import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestLink, TEST_CALLBACK_SECRET } from "../../../core/transport/conformance.ts";
import type { FakeApi } from "../../kit/testing.ts";
import {
  APP_SECRET,
  CREDENTIALS,
  ok,
  refuse,
  settingsFor,
  startFakeGraph,
  type WapiTestLink,
} from "../testing.ts";
import { claimAppAddress } from "./app-address.ts";

const READ = "GET /4321/subscriptions";
const REGISTER = "POST /4321/subscriptions";
const OURS = "https://gate.example/in/wapi";
const never = new AbortController().signal;
let graph: FakeApi;
let link: WapiTestLink;

beforeEach(async () => {
  graph = await startFakeGraph();
  link = linkWith({ appId: "4321" });
});
afterEach(async () => {
  await link.dispose();
  expect(JSON.stringify(link.logs)).not.toContain(APP_SECRET);
  expect(await graph.finish()).toEqual([]);
});

function linkWith(settings: Partial<WapiTestLink["settings"]>, credentials = CREDENTIALS): WapiTestLink {
  return createTestLink({ credentials, settings: settingsFor(graph.url, settings), callbackUrl: OURS });
}
const subscription = (url: string, fields: readonly string[], object = "whatsapp_business_account") => ({
  object,
  callback_url: url,
  active: true,
  fields: fields.map((name) => ({ name, version: "v25.0" })),
});
async function registeredFields(): Promise<string[]> {
  const { body } = await graph.request(REGISTER);
  return (body as { fields: string }).fields.split(",");
}

it.each([
  ["the app has no subscription", []],
  [
    "the app has a subscription for another object",
    [subscription("https://other.example", ["feed"], "page")],
  ],
  ["some fields are missing", [subscription(OURS, ["messages"])]],
])("registers our URL if %s", async (_name, data) => {
  graph.on(READ, ok({ data }));
  graph.on(REGISTER, ok({ success: true }));
  await claimAppAddress(link, never);
  expect((await graph.request(REGISTER)).body).toEqual({
    object: "whatsapp_business_account",
    callback_url: OURS,
    verify_token: TEST_CALLBACK_SECRET,
    fields: expect.stringMatching(/^messages,/),
  });
  expect(link.logs).toEqual([]);
});

it("does nothing if our URL is already registered", async () => {
  graph.on(READ, ok({ data: [] }));
  graph.on(REGISTER, ok({ success: true }));
  await claimAppAddress(link, never);
  graph.on(READ, ok({ data: [subscription(OURS, await registeredFields())] }));
  await claimAppAddress(link, never);
  expect(graph.requests).toHaveLength(3);
});

it("keeps another URL", async () => {
  graph.on(READ, ok({ data: [subscription("https://other.example/hook", ["messages"])] }));
  await claimAppAddress(link, never);
  expect(link.logs).toMatchObject([{ level: "info", details: { url: "https://other.example/hook" } }]);
});

it.each([
  ["no app", {}, CREDENTIALS],
  ["no app secret", { appId: "4321", appSecret: "" }, CREDENTIALS],
  ["an owner's own app", { appId: "4321" }, { ...CREDENTIALS, app_secret: "own" }],
] as const)("makes no request with %s", async (_name, settings, credentials) => {
  link = linkWith(settings, credentials);
  await claimAppAddress(link, never);
  expect(graph.requests).toEqual([]);
});

it("a failure is logged only", async () => {
  graph.on(READ, ok({ data: [] }));
  graph.on(REGISTER, refuse(2200, "Callback verification failed"));
  await claimAppAddress(link, never);
  expect(link.logs).toMatchObject([{ level: "warn" }]);
});
