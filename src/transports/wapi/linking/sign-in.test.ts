import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestLink } from "../../../core/transport/conformance.ts";
import type { SignInReply, SignInVisit } from "../../../core/transport/connector.ts";
import type { FakeApi } from "../../kit/testing.ts";
import {
  APP_SECRET,
  LISTED,
  ok,
  PHONE_ID,
  PROFILE,
  refuse,
  settingsFor,
  startFakeGraph,
  WABA_ID,
  type WapiTestLink,
} from "../testing.ts";
import type { WapiCredentials } from "./access.ts";
import { signIn } from "./sign-in.ts";

const TOKEN = "EAAfreshToken";
const SIGNUP = { appId: "4321", configId: "8765" };

let graph: FakeApi;
let link: WapiTestLink;
let connected: WapiCredentials[];
let concealed: string[];

beforeEach(async () => {
  graph = await startFakeGraph();
  link = linkWith(SIGNUP);
  connected = [];
  concealed = [];
});
afterEach(async () => {
  await link.dispose();
  expect(await graph.finish()).toEqual([]);
});

function linkWith(settings: Partial<WapiTestLink["settings"]>): WapiTestLink {
  return createTestLink({ credentials: {} as WapiCredentials, settings: settingsFor(graph.url, settings) });
}

const REFUSED = "The messenger refuses these credentials";
const visit = (): SignInVisit<WapiCredentials> => ({
  returnUrl: "https://gate.example/connect/wapi",
  state: "ticket",
  conceal: (secret) => void concealed.push(secret),
  async connect(credentials) {
    if (credentials.phone_number_id === "666666") return { refusal: REFUSED };
    connected.push(credentials);
    return { profile: PROFILE };
  },
});
const comeBack = (query: Record<string, string> = { code: "c0de" }): Promise<SignInReply> =>
  signIn.comeBack(visit(), link, new URLSearchParams(query));
const choose = async (id: string): Promise<SignInReply | undefined> => signIn.choose?.(visit(), link, id);

/** Queues Meta's responses to a code, with the numbers of these businesses. */
function layOutSignup(numbers: Record<string, object[]>): void {
  graph.always("GET /oauth/access_token", ok({ access_token: TOKEN, token_type: "bearer" }));
  const scopes = ["whatsapp_business_management", "whatsapp_business_messaging"];
  const granular = scopes.map((scope) => ({ scope, target_ids: Object.keys(numbers) }));
  graph.always(
    "GET /debug_token",
    ok({ data: { is_valid: true, granular_scopes: [...granular, { scope: "email" }] } }),
  );
  for (const [waba, data] of Object.entries(numbers))
    graph.always(`GET /${waba}/phone_numbers`, ok({ data }));
}

describe("sign-in at Meta", () => {
  it("starts at Meta's dialog, and returns to the channel", async () => {
    const url = new URL(await signIn.start(visit(), link));
    expect([url.origin, url.pathname]).toEqual([graph.url, "/v25.0/dialog/oauth"]);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: "4321",
      config_id: "8765",
      redirect_uri: "https://gate.example/connect/wapi",
      state: "ticket",
      response_type: "code",
      override_default_response_type: "true",
      extras: expect.any(String),
    });
    expect(url.href).not.toContain(APP_SECRET);
  });

  it("is offered if the operator has an app", () => {
    expect(signIn.isOffered(link)).toBe(true);
    expect(signIn.isOffered(linkWith({}))).toBe(false);
  });
});

describe("returning from Meta", () => {
  const credentials = { phone_number_id: PHONE_ID, waba_id: WABA_ID, access_token: TOKEN };

  it("offers even the only number, and connects it once it is chosen", async () => {
    layOutSignup({ [WABA_ID]: [LISTED] });
    expect(await comeBack()).toMatchObject({ kind: "choice", items: [{ id: PHONE_ID }] });
    expect(connected).toEqual([]);
    expect(await choose(PHONE_ID)).toEqual({ kind: "connected", profile: PROFILE });
    expect(connected).toEqual([credentials]);
    expect((await graph.request("GET /oauth/access_token")).query).toEqual({
      client_id: "4321",
      client_secret: APP_SECRET,
      code: "c0de",
      redirect_uri: "https://gate.example/connect/wapi",
    });
    expect((await graph.request("GET /debug_token")).query).toEqual({ input_token: TOKEN });
    expect(new Set(concealed)).toEqual(new Set(["c0de", TOKEN]));
  });

  it("offers a choice of several numbers, and stores the token meanwhile", async () => {
    layOutSignup({ [WABA_ID]: [LISTED], "777777": [{ ...LISTED, id: "888888", verified_name: "<Other>" }] });
    const reply = await comeBack();
    expect(reply).toMatchObject({
      kind: "choice",
      of: "number",
      items: [{ id: "888888", name: expect.stringContaining("<Other>, +") }, { id: PHONE_ID }],
    });
    expect(JSON.stringify(reply)).not.toContain(TOKEN);
    expect(await choose("888888")).toMatchObject({ kind: "connected" });
    expect(connected).toEqual([{ ...credentials, phone_number_id: "888888", waba_id: "777777" }]);
    expect(await choose("888888")).toMatchObject({ kind: "refused", reason: "outdated" });
  });

  it("keeps nothing once the person refuses", async () => {
    layOutSignup({ [WABA_ID]: [LISTED] });
    await comeBack();
    await signIn.discard?.(visit(), link);
    expect(await choose(PHONE_ID)).toMatchObject({ kind: "refused", reason: "outdated" });
    expect(connected).toEqual([]);
  });

  it("rejects a number that was not offered", async () => {
    layOutSignup({ [WABA_ID]: [LISTED, { ...LISTED, id: "888888" }] });
    await comeBack();
    expect(await choose("5")).toMatchObject({ kind: "refused", reason: "outdated" });
    expect(connected).toEqual([]);
  });

  it("registers a new number", async () => {
    layOutSignup({ [WABA_ID]: [{ ...LISTED, status: "PENDING" }] });
    graph.on(`POST /${PHONE_ID}/register`, ok({ success: true }));
    await comeBack();
    const reply = await choose(PHONE_ID);
    const { body } = await graph.request(`POST /${PHONE_ID}/register`);
    expect(body).toEqual({ messaging_product: "whatsapp", pin: expect.stringMatching(/^[1-9]\d{5}$/) });
    expect(reply).toEqual({ kind: "connected", profile: PROFILE, pin: (body as { pin: string }).pin });
    expect(connected).toEqual([credentials]);
  });

  it.each<[string, () => void, string]>([
    ["no number", () => layOutSignup({ [WABA_ID]: [] }), "has no phone number yet"],
    [
      "an expired code",
      () => graph.on("GET /oauth/access_token", refuse(100, "This authorization code has expired.")),
      "This authorization code has expired.",
    ],
    [
      "Meta is unavailable",
      () => graph.on("GET /oauth/access_token", { status: 500, body: "{}" }),
      "did not respond",
    ],
    [
      "a number with another PIN",
      () => {
        layOutSignup({ [WABA_ID]: [{ ...LISTED, status: "PENDING" }] });
        graph.on(`POST /${PHONE_ID}/register`, refuse(133005, "Two step verification PIN mismatch"));
      },
      "PIN mismatch",
    ],
  ])("reports %s", async (_name, layOut, words) => {
    layOut();
    const offer = await comeBack();
    const reply = offer.kind === "choice" ? await choose(PHONE_ID) : offer;
    expect(reply).toMatchObject({ kind: "refused", description: expect.stringContaining(words) });
    expect(connected).toEqual([]);
  });

  it("reports a rejected number", async () => {
    layOutSignup({ [WABA_ID]: [{ ...LISTED, id: "666666" }] });
    await comeBack();
    expect(await choose("666666")).toEqual({ kind: "refused", reason: "credentials", description: REFUSED });
  });

  it("reports that the person declined", async () => {
    expect(await comeBack({ error: "access_denied", error_reason: "user_denied" })).toMatchObject({
      kind: "refused",
      reason: "denied",
    });
  });
});
