import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CredentialsError, TransportError } from "../../../core/transport/errors.ts";
import type { ApiReply, FakeApi } from "../../kit/testing.ts";
import {
  LISTED,
  layOutNumber,
  linkTo,
  ok,
  PHONE,
  PHONE_ID,
  PROFILE,
  refuse,
  startFakeGraph,
  WABA,
  WABA_ID,
  type WapiTestLink,
} from "../testing.ts";
import { fetchHealth, toTier, verify } from "./account.ts";

const never = new AbortController().signal;
let graph: FakeApi;
let link: WapiTestLink;

beforeEach(async () => {
  graph = await startFakeGraph();
  layOutNumber(graph);
  link = linkTo(`${graph.url}/`);
});
afterEach(async () => {
  await link.dispose();
  expect(await graph.finish()).toEqual([]);
});

describe("verify", () => {
  it("returns the number's profile", async () => {
    expect(await verify(link, never)).toEqual(PROFILE);
  });

  it.each<[string, string, ApiReply]>([
    ["a dead token", `GET /${PHONE_ID}`, refuse(190, "Invalid OAuth access token", undefined, 401)],
    ["a token without the permission", `GET /${PHONE_ID}`, refuse(200, "Permissions error", undefined, 403)],
    ["an unknown number", `GET /${PHONE_ID}`, refuse(100, "Unsupported get request")],
    [
      "a business that the token has no access to",
      `GET /${WABA_ID}/phone_numbers`,
      refuse(10, "No permission"),
    ],
    ["a number of another business", `GET /${WABA_ID}/phone_numbers`, ok({ data: [{ ...LISTED, id: "5" }] })],
  ])("rejects %s", async (_name, call, reply) => {
    graph.always(call, reply);
    await expect(verify(link, never)).rejects.toThrow(CredentialsError);
  });

  it.each<[string, ApiReply, unknown]>([
    ["500", { status: 500, body: "{}" }, "later"],
    ["garbage", { body: "<html>" }, "later"],
    ["a flood", refuse(4, "Application request limit reached"), { afterMs: 30_000, scope: "channel" }],
    ["a response without a number", ok({ id: PHONE_ID }), "later"],
  ])("the outcome is unknown after %s", async (_name, reply, retry) => {
    graph.always(`GET /${PHONE_ID}`, reply);
    const error: unknown = await verify(link, never).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ retry });
  });

  it("finds the number on any page", async () => {
    const paging = { cursors: { after: "two" }, next: "https://graph.facebook.com/…" };
    graph.on(
      `GET /${WABA_ID}/phone_numbers`,
      ok({ data: [{ ...LISTED, id: "5" }], paging }),
      ok({ data: [LISTED], paging: { cursors: { after: "three" } } }),
    );
    expect(await verify(link, never)).toEqual(PROFILE);
    expect((await graph.request(`GET /${WABA_ID}/phone_numbers`, 2)).query).toMatchObject({ after: "two" });
  });
});

it("a list whose cursor does not change has an end", async () => {
  const paging = { cursors: { after: "two" }, next: "https://graph.facebook.com/…" };
  graph.on(`GET /${WABA_ID}/phone_numbers`, ok({ data: [LISTED], paging }), ok({ data: [LISTED], paging }));
  graph.always(`GET /${WABA_ID}/phone_numbers`, refuse(100, "Asked again"));
  expect(await verify(link, never)).toEqual(PROFILE);
});

describe("health", () => {
  it.each([
    ["CONNECTED", "APPROVED", "active"],
    ["RESTRICTED", "APPROVED", "active"],
    ["CONNECTED", "PENDING", "active"],
    ["BANNED", "APPROVED", "blocked"],
    ["CONNECTED", "RESTRICTED", "blocked"],
    ["CONNECTED", "REJECTED", "rejected"],
  ])("%s and %s: %s", async (status, review, expected) => {
    graph.always(`GET /${WABA_ID}/phone_numbers`, ok({ data: [{ ...LISTED, status }] }));
    graph.always(`GET /${WABA_ID}`, ok({ ...WABA, account_review_status: review }));
    const { state } = await fetchHealth(link, never);
    expect(state.status === "active" ? "active" : state.reason).toBe(expected);
  });

  it("includes the tier", async () => {
    expect((await fetchHealth(link, never)).tier).toBe("TIER_2K");
    graph.always(`GET /${PHONE_ID}`, ok({ ...PHONE, messaging_limit_tier: "TIER_NOT_SET" }));
    expect((await fetchHealth(link, never)).tier).toBeNull();
  });

  it("reads the tier under its newer name, or null", async () => {
    const { messaging_limit_tier: _, ...bare } = PHONE;
    const unknown = refuse(100, "Tried accessing nonexisting field (messaging_limit_tier)");
    graph.on(
      `GET /${PHONE_ID}`,
      ok(bare),
      unknown,
      ok({ whatsapp_business_manager_messaging_limit: "TIER_10K" }),
    );
    expect((await fetchHealth(link, never)).tier).toBe("TIER_10K");
    graph.on(`GET /${PHONE_ID}`, ok(bare), unknown, unknown);
    expect((await fetchHealth(link, never)).tier).toBeNull();
    const asked = graph.requests
      .filter(({ call }) => call === `GET /${PHONE_ID}`)
      .map(({ query }) => query["fields"]);
    expect(asked[0]).not.toContain("limit");
  });
});

it.each([
  ["TIER_50", "TIER_50"],
  ["TIER_250", "TIER_250"],
  ["TIER_1K", "TIER_1K"],
  ["TIER_2K", "TIER_2K"],
  ["TIER_10K", "TIER_10K"],
  ["TIER_100K", "TIER_100K"],
  ["TIER_UNLIMITED", "TIER_UNLIMITED"],
  [250, "TIER_250"],
  ["2000", "TIER_2K"],
  [-1, "TIER_UNLIMITED"],
  ["TIER_NOT_SET", null],
  [undefined, null],
  [3, null],
])("tier %s is %s", (value, expected) => {
  expect(toTier(value)).toBe(expected);
});
