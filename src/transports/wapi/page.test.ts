import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestLink } from "../../core/transport/conformance.ts";
import type { PageReply, PageVisit } from "../../core/transport/connector.ts";
import type { FakeApi } from "../kit/testing.ts";
import type { WapiCredentials } from "./access.ts";
import { page } from "./page.ts";
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
} from "./testing.ts";

const URL_OF_PAGE = "https://gate.example/connect/wapi/ticket";
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
function visit(more: Partial<PageVisit<WapiCredentials>> = {}): Promise<PageReply> {
  const request: PageVisit<WapiCredentials> = {
    method: "GET",
    query: new URLSearchParams(),
    form: new URLSearchParams(),
    url: URL_OF_PAGE,
    returnUrl: "https://gate.example/connect/wapi",
    state: "ticket",
    isLinked: false,
    conceal: (secret) => void concealed.push(secret),
    async connect(credentials) {
      if (credentials.access_token === "bad") return { refusal: REFUSED };
      connected.push(credentials);
      return { profile: PROFILE };
    },
    ...more,
  };
  return page(request, link);
}
const post = (fields: Record<string, string>) => visit({ method: "POST", form: new URLSearchParams(fields) });
const comeBack = (query: Record<string, string> = { code: "c0de" }) =>
  visit({ query: new URLSearchParams(query) });
function shown(reply: PageReply): { status: number; title: string; html: string } {
  if ("redirect" in reply) throw new Error("leads elsewhere");
  return { status: 200, ...reply };
}

/** Meta's answers to a code, with numbers of these businesses. */
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

describe("the first visit", () => {
  it("leads to Meta, and back to the channel", async () => {
    const { html } = shown(await visit());
    const href = /href="([^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const url = new URL(href);
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
    expect(html).not.toContain(APP_SECRET);
  });

  it("has a form for who has a token", async () => {
    const { html } = shown(await visit());
    expect(html).toContain(`<form method="post" action="${URL_OF_PAGE}">`);
    for (const name of ["phone_number_id", "waba_id", "access_token", "app_secret"])
      expect(html).toContain(`name="${name}"`);
    expect(html.match(/ required/g)).toHaveLength(3);
  });

  it("has nothing but the form where the operator has no app", async () => {
    link = linkWith({});
    expect(shown(await visit()).html).not.toContain("Continue with Meta");
    expect(shown(await comeBack()).html).not.toContain("Continue with Meta");
  });

  it("says that the channel is connected", async () => {
    expect(shown(await visit({ isLinked: true })).html).toContain("is connected");
  });
});

describe("coming back from Meta", () => {
  const credentials = { phone_number_id: PHONE_ID, waba_id: WABA_ID, access_token: TOKEN };

  it("connects the only number", async () => {
    layOutSignup({ [WABA_ID]: [LISTED] });
    expect(shown(await comeBack())).toMatchObject({ status: 200, title: "Connected" });
    expect(connected).toEqual([credentials]);
    expect((await graph.request("GET /oauth/access_token")).query).toEqual({
      client_id: "4321",
      client_secret: APP_SECRET,
      code: "c0de",
      redirect_uri: "https://gate.example/connect/wapi",
    });
    expect((await graph.request("GET /debug_token")).query).toEqual({ input_token: TOKEN });
    expect(concealed).toEqual(["c0de", TOKEN]);
  });

  it("asks which of several, and remembers the token meanwhile", async () => {
    layOutSignup({ [WABA_ID]: [LISTED], "777777": [{ ...LISTED, id: "888888", verified_name: "<Other>" }] });
    const { title, html } = shown(await comeBack());
    expect(title).toBe("Which number?");
    expect(html).toContain("&lt;Other&gt;");
    expect(html).not.toContain(TOKEN);
    expect(shown(await post({ number: "888888" })).title).toBe("Connected");
    expect(connected).toEqual([{ ...credentials, phone_number_id: "888888", waba_id: "777777" }]);
    expect(shown(await post({ number: "888888" })).html).toContain("Sign in at Meta once more");
  });

  it("does not connect a number that was not offered", async () => {
    layOutSignup({ [WABA_ID]: [LISTED, { ...LISTED, id: "888888" }] });
    await comeBack();
    expect(shown(await post({ number: "5" })).status).toBe(400);
    expect(connected).toEqual([]);
  });

  it("registers a number that is new", async () => {
    layOutSignup({ [WABA_ID]: [{ ...LISTED, status: "PENDING" }] });
    graph.on(`POST /${PHONE_ID}/register`, ok({ success: true }));
    const { html } = shown(await comeBack());
    const { body } = await graph.request(`POST /${PHONE_ID}/register`);
    expect(body).toEqual({ messaging_product: "whatsapp", pin: expect.stringMatching(/^[1-9]\d{5}$/) });
    expect(html).toContain((body as { pin: string }).pin);
    expect(connected).toEqual([credentials]);
  });

  it.each<[string, () => void, string]>([
    ["no number", () => layOutSignup({ [WABA_ID]: [] }), "has no phone number yet"],
    [
      "an old code",
      () => graph.on("GET /oauth/access_token", refuse(100, "This authorization code has expired.")),
      "This authorization code has expired.",
    ],
    [
      "Meta is away",
      () => graph.on("GET /oauth/access_token", { status: 500, body: "{}" }),
      "does not answer",
    ],
    [
      "a number that has another PIN",
      () => {
        layOutSignup({ [WABA_ID]: [{ ...LISTED, status: "PENDING" }] });
        graph.on(`POST /${PHONE_ID}/register`, refuse(133005, "Two step verification PIN mismatch"));
      },
      "PIN mismatch",
    ],
  ])("%s is told", async (_name, layOut, words) => {
    layOut();
    const { status, html } = shown(await comeBack());
    expect(status).toBe(400);
    expect(html).toContain(words);
    expect(connected).toEqual([]);
  });

  it("a refusal of the person is told", async () => {
    const reply = shown(await comeBack({ error: "access_denied", error_reason: "user_denied" }));
    expect(reply).toMatchObject({ status: 400, html: expect.stringContaining("was not allowed") });
  });
});

describe("by hand", () => {
  const fields = { phone_number_id: " 1065 ", waba_id: "1022", access_token: "EAA\n", app_secret: "" };
  it("connects", async () => {
    expect(shown(await post(fields)).title).toBe("Connected");
    expect(connected).toEqual([{ phone_number_id: "1065", waba_id: "1022", access_token: "EAA" }]);
  });

  it("an app of the owner's has its secret", async () => {
    await post({ ...fields, app_secret: "s3cret" });
    expect(connected).toMatchObject([{ app_secret: "s3cret" }]);
  });

  it("a refusal is told", async () => {
    const reply = shown(await post({ ...fields, access_token: "bad" }));
    expect(reply).toMatchObject({ status: 400, html: expect.stringContaining(REFUSED) });
  });

  it("a refusal keeps what was typed, but no secret", async () => {
    const secrets = { access_token: "bad", app_secret: "s3cret" };
    const { html } = shown(await post({ ...fields, ...secrets, waba_id: '"1"' }));
    expect(html).toContain('value="1065"');
    expect(html).toContain('value="&quot;1&quot;"');
    for (const secret of Object.values(secrets)) expect(html).not.toContain(`"${secret}"`);
  });
});
