import { describe, expect, it } from "vitest";
import type { SignInVisit } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import { SECRET, settingsOf } from "../testing.ts";
import { signIn } from "./sign-in.ts";
import type { AvitoLink } from "./tokens.ts";

type Visit = SignInVisit<{ code?: string }>;

const settings = settingsOf("https://avito.example");
const link = { settings } as AvitoLink;

function visitOf(more: Partial<Visit> = {}) {
  const seen: { given: unknown[]; concealed: string[] } = { given: [], concealed: [] };
  const visit: Visit = {
    returnUrl: "https://gateway.example/connect/avito",
    state: "the-state",
    conceal: (secret) => void seen.concealed.push(secret),
    connect: async (credentials) => {
      seen.given.push(credentials);
      return { profile: { messengerId: "1", name: "Shop" } };
    },
    ...more,
  };
  return { visit, seen };
}

describe("sign-in at Avito", () => {
  it("is offered if the installation has an application", () => {
    expect(signIn.isOffered(link)).toBe(true);
    for (const missing of [{ clientId: "" }, { clientSecret: "" }])
      expect(signIn.isOffered({ settings: { ...settings, ...missing } })).toBe(false);
  });

  it("starts at Avito's consent page", async () => {
    const url = new URL(await signIn.start(visitOf().visit, link));
    expect(url.origin + url.pathname).toBe("https://avito.example/oauth");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: "the-client-of-the-tests",
      scope: "messenger:read,messenger:write,user:read",
      state: "the-state",
    });
    expect(url.href).not.toContain(SECRET);
  });

  it("accepts the code from Avito, and redacts it", async () => {
    const { visit, seen } = visitOf();
    const reply = await signIn.comeBack(visit, link, new URLSearchParams("code=c0de&state=the-state"));
    expect(reply).toEqual({ kind: "connected", profile: { messengerId: "1", name: "Shop" } });
    expect(seen).toEqual({ given: [{ code: "c0de" }], concealed: ["c0de"] });
  });

  it.each<[string, string, Partial<Visit>, object]>([
    ["the owner declines", "error=access_denied", {}, { reason: "denied" }],
    [
      "the code is rejected",
      "code=c",
      { connect: async () => ({ refusal: "Used already" }) },
      { reason: "credentials", description: "Used already" },
    ],
    [
      "Avito is unavailable",
      "code=c",
      { connect: () => Promise.reject(new TransportError("UNKNOWN_ERROR", "away", { retry: "later" })) },
      { reason: "unavailable" },
    ],
  ])("is refused when %s", async (_, query, more, expected) => {
    const { visit } = visitOf(more);
    expect(await signIn.comeBack(visit, link, new URLSearchParams(query))).toMatchObject({
      kind: "refused",
      ...expected,
    });
  });
});
