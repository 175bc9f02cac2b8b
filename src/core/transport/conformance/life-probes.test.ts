import { setTimeout as sleep } from "node:timers/promises";
import Type from "typebox";
import { describe, expect, it } from "vitest";
import { html } from "../../../platform/html.ts";
import {
  type ChannelLink,
  defineTransport,
  type PageReply,
  type Session,
  type Transport,
} from "../connector.ts";
import type { TransportDefinition } from "../definition.ts";
import { LoginRefused, TransportError } from "../errors.ts";
import { probeStrangers, probeUnstored } from "./caller-probes.ts";
import { probeAbort, probeLeaving, probeLogin, probePage, probeSocketFlood } from "./life-probes.ts";
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

function postbox(
  session: (link: Link) => Partial<Session> = () => ({}),
  more: Partial<Methods> = {},
): Transport {
  const connector = {
    verify: async () => ({ profile: { messengerId: "1", name: "Box" } }),
    async page({ query }: { query: URLSearchParams }): Promise<PageReply> {
      return { title: "Connect", html: html`<p>${query.get("error") ?? ""}</p>`.html };
    },
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

it("nothing is found where all is well", async () => {
  const transport = postbox();
  const found = await Promise.all([
    probeLogin(transport, cases),
    probeAbort(transport, cases),
    probeLeaving(transport, cases),
    probePage(transport, cases),
    probeStrangers(transport, cases),
    probeUnstored(transport, cases, letter),
  ]);
  expect(found.flat()).toEqual([]);
});

describe("the kit finds", () => {
  it.each<[string, Session["answer"], string]>([
    ["a step that is taken although nobody logs in", async () => ({}), "it was taken"],
    ["an error that is no refusal", () => Promise.reject(new Error("oops")), "Error: oops"],
    ["a refusal with another reason", () => Promise.reject(new LoginRefused("wrong", "no")), "wrong"],
  ])("%s", async (_, answer, outcome) => {
    const transport = postbox(() => (answer === undefined ? {} : { answer }));
    const kinds = ["pairingCode", "phone", "code", "password"];
    expect(await probeLogin(transport, cases)).toEqual(kinds.map((kind) => `answer ${kind}: ${outcome}`));
  });

  it("a send that goes on after its link has ended", async () => {
    const transport = postbox(() => ({ send: () => new Promise(() => undefined) }));
    expect(await probeAbort(transport, cases)).toEqual(["send went on after the link had ended"]);
  });

  it("requests and events that come after the end", async () => {
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
      "a request left after the link had ended",
      "an event came after the link had ended",
    ]);
  });

  it("leaving that hangs", async () => {
    const transport = postbox(() => ({}), { leave: () => new Promise(() => undefined) });
    const [first] = await probeLeaving(transport, cases, 50);
    expect(first).toBe("leave hangs after: refused connection");
  });

  it.each<[string, (query: URLSearchParams) => PageReply, string]>([
    [
      "a page that does not escape",
      (query) => ({ title: "Connect", html: `<p>${query.get("error") ?? ""}</p>` }),
      "page: it shows what came in without escaping it",
    ],
    ["a page without a title", () => ({ title: "", html: "" }), "page: it has no title"],
    ["a page that fails", () => ({ status: 500, title: "Oops", html: "" }), "page: it answers 500"],
    ["a way to nowhere", () => ({ redirect: "nowhere" }), "page: nowhere is no address"],
  ])("%s", async (_, reply, problem) => {
    const page = async ({ query }: { query: URLSearchParams }): Promise<PageReply> => reply(query);
    expect(
      await probePage(
        postbox(() => ({}), { page } as Partial<Methods>),
        cases,
      ),
    ).toEqual([problem]);
  });

  it("a page that throws", async () => {
    const page = (): Promise<PageReply> => Promise.reject(new Error("oops"));
    expect(
      await probePage(
        postbox(() => ({}), { page }),
        cases,
      ),
    ).toEqual(["page: Error: oops"]);
  });

  it("calls of strangers that are taken, and such that are answered with a fault of ours", async () => {
    const trusting = async (_: unknown, link: Link): Promise<{ status: number }> => {
      await link.emit(letter);
      return { status: 200 };
    };
    const found = await probeStrangers(
      postbox(() => ({}), { receive: trusting } as Partial<Methods>),
      cases,
    );
    expect(found).toContain("a stranger's GET  was answered with 200");
    expect(found.at(-1)).toBe("a stranger's call became an event: deleted");
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

  it("what is confirmed although it was not stored", async () => {
    const replay = async (_: unknown, link: ChannelLink): Promise<{ status: number }> => {
      await link.emit(letter).catch(() => undefined);
      return { status: 200 };
    };
    expect(await probeUnstored(postbox(), { ...cases, replay }, letter)).toEqual([
      "what could not be stored was confirmed to the messenger",
    ]);
  });

  it("a flood on a connection without a time to wait", () => {
    const flood = (retry: "never" | { afterMs: number; scope: "chat" }) => () =>
      new TransportError("TOO_MANY_EXT_REQS", "slow down", { retry });
    expect(probeSocketFlood({ ...cases, socketFlood: flood({ afterMs: 5, scope: "chat" }) })).toEqual([]);
    const wrong = ["a flood on the connection must say how long to wait"];
    expect(probeSocketFlood({ ...cases, socketFlood: flood("never") })).toEqual(wrong);
    expect(probeSocketFlood({ ...cases, socketFlood: () => new Error("slow down") })).toEqual(wrong);
  });
});
