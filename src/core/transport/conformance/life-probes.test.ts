import { setTimeout as sleep } from "node:timers/promises";
import Type from "typebox";
import { describe, expect, it } from "vitest";
import {
  type ChannelLink,
  defineTransport,
  type Session,
  type SignInReply,
  type Transport,
} from "../connector.ts";
import type { TransportDefinition } from "../definition.ts";
import { LoginRefused, TransportError } from "../errors.ts";
import { probeStrangers, probeUnstored } from "./caller-probes.ts";
import { probeAbort, probeLogin, probeLogouts, probeSignIn, probeSocketFlood } from "./life-probes.ts";
import type { ConformanceCases } from "./probes.ts";

/** A messenger with a page, calls and a login, that does all of it right. */
const definition = {
  id: "postbox",
  label: "Postbox",
  connect: "redirect",
  calledBack: "channel",
  credentials: Type.Object({ key: Type.String({ sensitive: true }) }),
  settings: {},
  chatTypes: ["vk"],
  capabilities: {
    addressBy: ["chatId"],
    text: { maxLength: 100 },
    media: {},
    inboundFiles: false,
    keyboard: null,
    templates: false,
    quote: false,
    edit: null,
    remove: null,
    receipts: [],
    login: ["password"],
    resend: "unsafe",
  },
  pacing: { channel: { perSecond: 1, burst: 1 }, chat: { perSecond: 1, burst: 1 }, jitterMs: 0 },
} as const satisfies TransportDefinition;

const letter = {
  kind: "deleted",
  ref: { chatType: "vk", chatId: "7", externalId: "1" },
  at: new Date(0),
} as const;
type Methods = Transport["connector"];
type Link = Pick<ChannelLink, "emit" | "signal" | "request"> & {
  readonly settings: Readonly<Record<string, string>>;
};

const failed = (retry: "later" | "unknown"): TransportError =>
  new TransportError("UNKNOWN_ERROR", "away", { retry });

async function ask(link: Link, signal: AbortSignal): Promise<never> {
  const url = link.settings["url"] ?? "";
  await link.request({ method: "POST", url, signal }).catch(() => undefined);
  throw failed("unknown");
}

const good: Session = {
  send: () => Promise.reject(failed("later")),
  answer: async () => {
    throw new LoginRefused("not_expected", "nobody logs in");
  },
  close: async () => undefined,
};

function signInWith(reply: SignInReply) {
  return {
    isOffered: () => true,
    start: async () => "https://postbox.example/login",
    comeBack: async () => reply,
  };
}

function oops(): never {
  throw new Error("oops");
}

function postbox(
  session: (link: Link) => Partial<Session> = () => ({}),
  more: Partial<Methods> = {},
): Transport {
  const connector = {
    verify: async () => ({ profile: { messengerId: "1", name: "Box" } }),
    signIn: signInWith({ kind: "refused", reason: "denied", description: "Not allowed" }),
    async receive({ headers, body }: { headers: Record<string, unknown>; body: Uint8Array }, link: Link) {
      if (headers["x-secret"] !== "yes") return { status: 401 };
      await link.emit(JSON.parse(Buffer.from(body).toString()));
      return { status: 200 };
    },
    open: async (link: Link) => ({
      ...good,
      send: (_: unknown, signal: AbortSignal) => ask(link, signal),
      ...session(link),
    }),
    ...more,
  };
  return defineTransport(
    definition,
    connector as unknown as Parameters<typeof defineTransport<typeof definition>>[1],
  );
}

const cases: ConformanceCases = {
  credentials: { key: "the-secret-key-of-postbox" },
  settings: (url) => ({ url }),
  message: { id: "1", to: { chatType: "vk", chatId: "7" }, content: { type: "text", text: "hi" } },
  ref: letter.ref,
  file: { token: "none" },
  samples: [letter],
  kept: { names: ["letter"], ignored: [{ path: /./, reason: "of other tests" }] },
  replay: (sample, link) => {
    const { receive } = postbox().connector;
    const body = Buffer.from(JSON.stringify(sample));
    const call = {
      method: "POST",
      path: "",
      query: new URLSearchParams(),
      headers: { "x-secret": "yes" },
      body,
    };
    return receive?.(call, link as Parameters<typeof receive>[1]) ?? Promise.resolve(undefined);
  },
};

it("nothing is found in a correct transport", async () => {
  const transport = postbox();
  const found = await Promise.all([
    probeLogin(transport, cases),
    probeAbort(transport, cases),
    probeLogouts(transport, cases),
    probeSignIn(transport, cases),
    probeStrangers(transport, cases),
    probeUnstored(transport, cases, letter),
  ]);
  expect(found.flat()).toEqual([]);
});

describe("the kit finds", () => {
  it.each<[string, Session["answer"], string]>([
    ["a step that is taken although nobody logs in", async () => ({}), "it was accepted"],
    ["an error that is no refusal", () => Promise.reject(new Error("oops")), "Error: oops"],
    ["a refusal with another reason", () => Promise.reject(new LoginRefused("wrong", "no")), "wrong"],
  ])("%s", async (_, answer, outcome) => {
    const transport = postbox(() => (answer === undefined ? {} : { answer }));
    const kinds = ["pairingCode", "phone", "code", "password", "passkey"];
    expect(await probeLogin(transport, cases)).toEqual(kinds.map((kind) => `answer ${kind}: ${outcome}`));
  });

  it("a send that continues after its link has ended", async () => {
    const transport = postbox(() => ({ send: () => new Promise(() => undefined) }));
    expect(await probeAbort(transport, cases)).toEqual(["send continued after the link had ended"]);
  });

  it("requests and events after the end", async () => {
    const transport = postbox((link) => ({
      async send(_, signal) {
        try {
          return await ask(link, signal);
        } finally {
          void sleep(5).then(() => link.emit(letter));
          void sleep(5)
            .then(() => link.request({ method: "GET", url: link.settings["url"] ?? "" }))
            .catch(() => 0);
        }
      },
    }));
    expect(await probeAbort(transport, cases)).toEqual([
      "a request was sent after the link had ended",
      "an event was emitted after the link had ended",
    ]);
  });

  it("a logout that does not end", async () => {
    const transport = postbox(() => ({}), { leave: () => new Promise(() => undefined) });
    const [first] = await probeLogouts(transport, cases, 50);
    expect(first).toBe("leave does not end after: refused connection");
  });

  it.each<[string, SignInReply, string]>([
    [
      "a refusal without words",
      { kind: "refused", reason: "denied", description: "" },
      "signIn: a refusal has no description",
    ],
    ["an empty choice", { kind: "choice", of: "number", items: [] }, "signIn: the choice is empty"],
    ["a way to nowhere", { kind: "elsewhere", url: "nowhere" }, "signIn: nowhere is not an address"],
    [
      "a channel that nobody verified",
      { kind: "connected", profile: { messengerId: "1", name: "Box" } },
      "signIn: it connected although the credentials were refused",
    ],
  ])("%s", async (_, reply, problem) => {
    expect(
      await probeSignIn(
        postbox(() => ({}), { signIn: signInWith(reply) }),
        cases,
      ),
    ).toEqual([problem]);
  });

  it("a sign-in that throws", async () => {
    const signIn = { ...signInWith({ kind: "elsewhere", url: "nowhere" }), comeBack: async () => oops() };
    expect(
      await probeSignIn(
        postbox(() => ({}), { signIn }),
        cases,
      ),
    ).toEqual(["signIn: Error: oops"]);
  });

  it("calls of strangers that are accepted, or cause an internal error", async () => {
    const trusting = async (_: unknown, link: Link): Promise<{ status: number }> => {
      await link.emit(letter);
      return { status: 200 };
    };
    const found = await probeStrangers(
      postbox(() => ({}), { receive: trusting } as Partial<Methods>),
      cases,
    );
    expect(found).toContain("a stranger's GET  was answered with 200");
    expect(found.at(-1)).toBe("a stranger's call emitted an event: deleted");
    const careless = async ({ body }: { body: Uint8Array }): Promise<{ status: number }> => {
      JSON.parse(Buffer.from(body).toString());
      return { status: 401 };
    };
    const thrown = await probeStrangers(
      postbox(() => ({}), { receive: careless } as Partial<Methods>),
      cases,
    );
    expect(thrown[0]).toMatch(/^a stranger's POST {2}made it throw: SyntaxError/);
  });

  it("a report that is confirmed although it was not stored", async () => {
    const replay = async (_: unknown, link: ChannelLink): Promise<{ status: number }> => {
      await link.emit(letter).catch(() => undefined);
      return { status: 200 };
    };
    expect(await probeUnstored(postbox(), { ...cases, replay }, letter)).toEqual([
      "a report that could not be stored was confirmed to the messenger",
    ]);
  });

  it("too many requests on a connection without a delay", () => {
    const flood = (retry: "never" | { afterMs: number; scope: "chat" }) => () =>
      new TransportError("TOO_MANY_EXT_REQS", "slow down", { retry });
    expect(probeSocketFlood({ ...cases, socketFlood: flood({ afterMs: 5, scope: "chat" }) })).toEqual([]);
    const wrong = ["too many requests on the connection must cause an error with a delay"];
    expect(probeSocketFlood({ ...cases, socketFlood: flood("never") })).toEqual(wrong);
    expect(probeSocketFlood({ ...cases, socketFlood: () => new Error("slow down") })).toEqual(wrong);
  });
});
