import { describe, expect, it } from "vitest";
import type { PageReply } from "../../core/transport/connector.ts";
import { page } from "./page.ts";
import { SECRET, settingsOf } from "./testing.ts";

type Visit = Parameters<typeof page>[0];

const settings = settingsOf("https://avito.example");

function visitOf(more: Partial<Visit> = {}) {
  const seen: { given: unknown[]; concealed: string[] } = { given: [], concealed: [] };
  const visit: Visit = {
    method: "GET",
    query: new URLSearchParams(),
    form: new URLSearchParams(),
    url: "https://gateway.example/page",
    returnUrl: "https://gateway.example/connect/avito",
    state: "the-state",
    isLinked: false,
    conceal: (secret) => void seen.concealed.push(secret),
    connect: async (credentials) => {
      seen.given.push(credentials);
      return { profile: { messengerId: "1", name: "Shop" } };
    },
    ...more,
  };
  return { visit, seen };
}

const htmlOf = (reply: PageReply): string => ("html" in reply ? reply.html : "");

describe("the page on which an account is connected", () => {
  it("leads to Avito where the installation has an application, and asks for one elsewhere", async () => {
    const { visit } = visitOf();
    const words = htmlOf(await page(visit, { settings }));
    expect(words).toContain(
      "https://avito.example/oauth?response_type=code&amp;client_id=the-client-of-the-tests",
    );
    expect(words).toContain("state=the-state");
    expect(words).not.toContain(SECRET);
    const without = htmlOf(await page(visit, { settings: { ...settings, clientId: "" } }));
    expect(without).not.toContain("/oauth?");
    expect(without).toContain('name="client_secret"');
  });

  it("takes the code that Avito sends back, and hides it", async () => {
    const { visit, seen } = visitOf({ query: new URLSearchParams("code=c0de&state=the-state") });
    expect(htmlOf(await page(visit, { settings }))).toContain("Shop");
    expect(seen).toEqual({ given: [{ code: "c0de" }], concealed: ["c0de"] });
  });

  it("takes an application of the owner's own", async () => {
    const form = new URLSearchParams({ client_id: " own-client ", client_secret: "own-secret" });
    const { visit, seen } = visitOf({ method: "POST", form });
    await page(visit, { settings });
    expect(seen).toEqual({
      given: [{ client_id: "own-client", client_secret: "own-secret" }],
      concealed: ["own-secret"],
    });
  });

  it.each([
    ["the owner does not agree", { query: new URLSearchParams("error=access_denied") }, "not allowed"],
    [
      "the code is refused",
      { query: new URLSearchParams("code=c"), connect: async () => ({ refusal: "Used <already>" }) },
      "Used &lt;already&gt;.",
    ],
  ] as const)("says so when %s", async (_, more, words) => {
    const { visit } = visitOf(more);
    const reply = await page(visit, { settings });
    expect(reply).toMatchObject({ status: 400 });
    expect(htmlOf(reply)).toContain(words);
  });
});
