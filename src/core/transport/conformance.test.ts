import Type from "typebox";
import { describe, expect, it } from "vitest";
import { FAULTS } from "./conformance/faults.ts";
import type { KeptCases } from "./conformance/kept-cases.ts";
import { findHidingPatterns, type KeptReport, probeKept } from "./conformance/kept-probe.ts";
import { type MutantCases, probeMutants, probeSendAnswers } from "./conformance/mutant-probes.ts";
import { mutantsOf } from "./conformance/mutants.ts";
import {
  type ConformanceCases,
  probeCapabilities,
  probeFault,
  probeGroupUpdates,
  probeSample,
} from "./conformance/probes.ts";
import { findDefinitionProblems, findEventProblems, leaks, printError } from "./conformance/rules.ts";
import { describeTransport } from "./conformance.ts";
import {
  type ChannelLink,
  defineTransport,
  HttpFailure,
  type HttpResponse,
  type Session,
  type Transport,
  type TransportConnector,
} from "./connector.ts";
import type { Pacing, TransportDefinition } from "./definition.ts";
import { CredentialsError, TransportError } from "./errors.ts";
import type { TransportEvent } from "./events.ts";
import type { Template } from "./template.ts";

/** The smallest messenger: `POST /send` with a key in a header, and letters that it posts to us. */
const definition = {
  id: "postbox",
  label: "Postbox",
  connect: "credentials",
  credentials: Type.Object({ key: Type.String({ sensitive: true }) }),
  settings: {
    url: { env: "POSTBOX_URL", default: "https://postbox.example", help: "Its address.", address: true },
  },
  chatTypes: ["viber"],
  capabilities: {
    addressBy: ["chatId"],
    text: { maxLength: 100 },
    media: {},
    inboundFiles: false,
    keyboard: null,
    templates: false,
    quote: false,
    edit: null,
    remove: { windowMs: null },
    receipts: ["read"],
    login: [],
    resend: "unsafe",
  },
  pacing: { channel: { perSecond: 1, burst: 1 }, chat: { perSecond: 1, burst: 1 }, jitterMs: 0 },
} as const satisfies TransportDefinition;

type Connector = TransportConnector<typeof definition>;
type Link = Parameters<Connector["open"]>[0];

async function call(
  link: Pick<Link, "credentials" | "settings" | "request">,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const headers = { key: link.credentials.key };
  const answer = await link
    .request({ method: "POST", url: link.settings.url + path, headers, signal })
    .catch(noAnswer);
  await judge(answer);
}

async function judge(answer: HttpResponse): Promise<void> {
  const text = Buffer.from(await answer.bytes()).toString();
  if (answer.status === 200 && text === "done") return;
  if (answer.status === 401) throw new CredentialsError("The key is wrong");
  const retry = answer.status === 429 ? ({ afterMs: 1_000, scope: "channel" } as const) : "unknown";
  throw new TransportError("UNKNOWN_ERROR", "Postbox failed", { retry });
}

function noAnswer(error: unknown): never {
  const retry = error instanceof HttpFailure && !error.sent ? "later" : "unknown";
  throw new TransportError("UNKNOWN_ERROR", "Postbox did not respond", { retry });
}

function openPostbox(link: Link, changes: Partial<Session> = {}): Session {
  return {
    async send({ id, to }, signal) {
      await call(link, "/send", signal);
      return { chatId: to.chatId ?? "", externalId: id, sentAt: new Date() };
    },
    remove: (_, signal) => call(link, "/remove", signal),
    async close() {},
    ...changes,
  };
}

const connector: Connector = {
  async verify(access, signal) {
    await call(access, "/me", signal);
    return { profile: { messengerId: "1", name: "Box" } };
  },
  open: async (link) => openPostbox(link),
};
const postbox = defineTransport(definition, connector);

const letter: TransportEvent = {
  kind: "message",
  message: {
    chatType: "viber",
    chatId: "7",
    externalId: "a",
    direction: "in",
    sentAt: new Date(0),
    contact: { name: "Ann" },
    body: { type: "text", text: "hi" },
  },
};

const cases: ConformanceCases = {
  credentials: { key: "the-secret-key-of-postbox" },
  settings: (url) => ({ url }),
  message: { id: "1", to: { chatType: "viber", chatId: "7" }, content: { type: "text", text: "hi" } },
  ref: { chatType: "viber", chatId: "7", externalId: "a" },
  file: { token: "none" },
  flood: { status: 429, body: "slow down" },
  samples: [letter],
  kept: { names: ["letter"], ignored: [{ path: /^message\.direction$/, reason: "kinds" }] },
  replay: (sample, link) => link.emit(sample as TransportEvent),
};

describeTransport(postbox, cases);

function broken(changes: (link: Link) => Partial<Session>): Transport {
  return defineTransport(definition, {
    ...connector,
    open: async (link) => openPostbox(link, changes(link)),
  });
}

const oops = (): Promise<never> => Promise.reject(new Error("oops"));

describe("the kit finds lost words", () => {
  const parcel = {
    id: "a",
    type: "parcel",
    words: "hi",
    page: "https://postbox.example/a?b=c",
    phone: "+7 900 111-22-33",
    button: { payload: '{"order":{"color":"red"}}' },
    pictures: [{ file_id: "s" }, { file_id: "m" }],
    inner: [{ words: "old" }],
    stamp: 5,
  };
  type Parcel = Partial<Omit<typeof parcel, "inner">> & { readonly inner?: readonly Parcel[] };
  const kept: KeptCases = {
    names: ["parcel"],
    ignored: [],
    wanted: [/file_id$/],
    oneOf: [/^pictures$/],
    nested: [{ path: /inner$/ }],
  };

  /** All words of a parcel at every depth, but for what `lost` says. */
  function textOf({ words, page, phone, button, pictures, inner = [] }: Parcel, lost: string): string {
    const picture = lost === "picture" ? "" : pictures?.at(-1)?.file_id;
    const color = lost === "payload" ? "" : button?.payload;
    const own = [lost === "page" ? "" : page, phone?.replace(/\D/g, ""), picture, color, words];
    const others = inner.flatMap((part) => [
      part.words,
      ...(lost === "depth" ? [] : (part.inner ?? [])).map((each) => textOf(each, lost)),
    ]);
    return JSON.stringify(lost === "after the words" && words === undefined ? [] : [...own, ...others]);
  }

  const probe = (lost: string, more: Partial<KeptCases> = {}, sample: object = parcel): Promise<KeptReport> =>
    probeKept(postbox, {
      ...cases,
      samples: [sample],
      kept: { ...kept, ...more },
      replay: (raw, link) => {
        const body = { type: "text", text: textOf(raw as Parcel, lost) } as const;
        const about = { chatType: "viber", chatId: "7", direction: "in", contact: { name: "" } } as const;
        return link.emit({
          kind: "message",
          message: { ...about, externalId: "a", sentAt: new Date(0), body },
        });
      },
    });

  it.each([
    ["nothing", []],
    ["page", ['postbox, sample parcel: page "https://postbox.example/a?b=c" is not found']],
    ["payload", ['postbox, sample parcel: button.payload#order.color "red" is not found']],
    ["picture", ['postbox, sample parcel: pictures[].file_id "s" is not found']],
    [
      "depth",
      [
        expect.stringMatching(
          /^postbox, sample parcel, variant \d+: inner\[\]\.inner\[\]\.words "old" is not/,
        ),
      ],
    ],
    ["after the words", [expect.stringMatching(/^postbox, sample parcel, variant \d+: page/)]],
  ])("%s", async (lost, expected) => {
    const { problems, strings, variants } = await probe(lost);
    expect(problems).toEqual(expect.arrayContaining(expected));
    if (lost === "nothing") expect(problems).toEqual([]);
    expect([strings > 50, variants > 8]).toEqual([true, true]);
  });

  it("in a field that is new", async () => {
    const { problems } = await probe("", {}, { ...parcel, remark: "Mind the step" });
    expect(problems).toEqual(['postbox, sample parcel: remark "Mind the step" is not found']);
  });

  it("unless its field is ignored, or reported as unknown", async () => {
    const newer = { ...parcel, remark: "Mind the step" };
    const ignored = [{ path: /^remark$/, reason: "of the postman" }];
    expect((await probe("", { ignored }, newer)).problems).toEqual([]);
    const reporting = {
      ...cases,
      samples: [newer],
      kept,
      replay: (raw: unknown, link: ChannelLink) => link.reportUnknown("parcel", raw),
    };
    expect((await probeKept(postbox, reporting)).problems).toEqual([]);
  });

  it("entries of its lists that are needed no longer", async () => {
    const lost = [{ path: /^page$/, what: "the page" }];
    expect((await probe("page", { lost })).problems).toEqual([]);
    const ignored = [{ path: /^stamps$/, reason: "their price" }];
    expect((await probe("", { lost, ignored })).problems).toEqual([
      "postbox: /^page$/ is listed as lost, and nothing of it is lost",
      "postbox: /^stamps$/ is ignored and occurs in no sample",
    ]);
  });

  it("entries that would hide a new field", () => {
    const ignored = [
      { path: /^button\./, reason: "all of it" },
      { path: /^inner$/, reason: "on purpose", isWhole: true },
    ] as const;
    expect(findHidingPatterns({ samples: [parcel], kept: { ...kept, ignored } })).toEqual([
      "button.remark would be ignored",
    ]);
  });
});

describe("the kit finds in mutants", () => {
  interface Note {
    readonly id: string;
    readonly words?: string | null;
    readonly sent?: number;
  }
  const note: Note = { id: "a", words: "hi", sent: 1_700_000_000 };
  const about = { chatType: "viber", chatId: "7", direction: "in", contact: { name: "" } } as const;
  const mutants: MutantCases = { essential: [/^id$/], decisive: [] };

  /** A parser with one fault of each kind, as `faults` says. */
  function read(raw: unknown, link: ChannelLink, faults: readonly string[]): Promise<void> {
    const { id, words, sent } = (raw ?? {}) as Note;
    if (typeof id !== "string" || id === "") return link.deadLetter(raw, "no id");
    if (words === undefined && faults.includes("drops")) return Promise.resolve();
    if (words === undefined && faults.includes("gives up")) return link.deadLetter(raw, "no words");
    if (faults.includes("throws") && words?.length === undefined) throw new TypeError("no words");
    const text = typeof words === "string" ? words : faults.includes("shows null") ? String(words ?? "") : "";
    const given = words === null && faults.includes("shows null") ? "null" : text;
    const time = faults.includes("believes") ? new Date(Number(sent) * 1_000) : new Date();
    const body = { type: "text", text: given } as const;
    return link.emit({ kind: "message", message: { ...about, externalId: id, sentAt: time, body } });
  }
  const problems = (...faults: readonly string[]): Promise<string[]> =>
    probeMutants(postbox, { ...cases, mutants, replay: (raw, link) => read(raw, link, faults) }, note);

  it.each([
    ["nothing", [], []],
    ["what is dropped", ["drops"], ["words missing: data was dropped without a dead letter"]],
    [
      "what is given up for an ornament",
      ["gives up"],
      ["words missing: a dead letter because of an optional field"],
    ],
    ["null that is shown", ["shows null"], ["words null: differs from a missing field"]],
    ["a parser that fails", ["throws"], ["words null: threw TypeError: no words"]],
    ["a date that is none", ["believes"], ["sent missing: message.sentAt is not a date"]],
  ])("%s", async (_, faults, expected) => {
    expect(await problems(...faults)).toEqual(expect.arrayContaining(expected));
    if (faults.length === 0) expect(await problems()).toEqual([]);
  });

  it("a response to a send that is trusted too much, or too little", async () => {
    const answer = { id: "a", at: 1_700_000_000 };
    const transport = broken((link) => ({
      async send({ to }) {
        const sent = await link.request({ method: "POST", url: `${link.settings.url}/send` });
        const { id, at } = ((await sent.json()) ?? {}) as { id?: string; at?: number };
        if (id === undefined) throw new TransportError("UNKNOWN_ERROR", "no id", { retry: "unknown" });
        return { chatId: to.chatId ?? "", externalId: id, sentAt: new Date(Number(at) * 1_000) };
      },
    }));
    const send = { message: cases.message, request: /send$/, answer, essential: [] };
    expect(await probeSendAnswers(transport, { ...cases, send })).toEqual(
      expect.arrayContaining([
        'id missing: was reported as "no id"',
        "id null: an id is empty",
        "at missing: sentAt is not plausible",
      ]),
    );
  });

  it("each field by its path, missing, null and wrong", () => {
    const all = [...mutantsOf({ a: [{ b: true }], c: null })];
    expect(all.map(({ path, change }) => `${path} ${change}`)).toEqual([
      "a missing",
      ...["null", "[]", "[null]", "{}", '"odd"', "7"].map((change) => `a ${change}`),
      ...["null", "{}", "[]", '"odd"', "7"].map((change) => `a[] ${change}`),
      "a[].b missing",
      ...["null", '"yes"', "7", "{}"].map((change) => `a[].b ${change}`),
    ]);
    expect(all.find(({ path, change }) => path === "a[].b" && change === "missing")?.value).toEqual({
      a: [{}],
      c: null,
    });
  });
});

describe("the kit finds", () => {
  it.each(FAULTS)("a plain error after: %s", async (fault) => {
    const transport = broken(() => ({ send: () => Promise.reject(new Error("oops")) }));
    expect(await probeFault(transport, cases, fault)).toEqual(["send: Error: oops is not a TransportError"]);
  });

  it("a send marked as repeatable although it may have arrived", async () => {
    const later = new TransportError("UNKNOWN_ERROR", "x", { retry: "later" });
    const problems = await probeFault(
      broken(() => ({ send: () => Promise.reject(later) })),
      cases,
      "cut after the request",
    );
    expect(problems).toEqual(["send: the request may have arrived, so the outcome is unknown"]);
  });

  it("too many requests without a delay", async () => {
    const error = new TransportError("TOO_MANY_EXT_REQS", "x");
    const problems = await probeFault(
      broken(() => ({ send: () => Promise.reject(error) })),
      cases,
      "flood",
    );
    expect(problems).toEqual(["send: too many requests must cause an error with a delay"]);
  });

  it("a call that succeeds against a broken messenger", async () => {
    const transport = broken(() => ({ remove: async () => {} }));
    expect(await probeFault(transport, cases, "garbage")).toEqual([
      "remove: undefined is not a TransportError",
    ]);
  });

  it("a channel that ends because of a broken connection", async () => {
    const transport = defineTransport(definition, {
      ...connector,
      async open(link) {
        await link.emit({ kind: "link", state: { status: "disabled", reason: "unauthorized" } });
        return openPostbox(link);
      },
    });
    expect(await probeFault(transport, cases, "500")).toEqual(['a broken connection became "disabled"']);
  });

  it("an unhandled rejection", async () => {
    const transport = broken(() => ({
      async close() {
        process.emit("unhandledRejection", new Error("adrift"), Promise.resolve());
      },
    }));
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    const found = await probeFault(transport, cases, "500");
    for (const listener of others) process.on("unhandledRejection", listener);
    expect(new Set(found)).toEqual(new Set(["unhandled rejection: Error: adrift"]));
  });

  it.each([
    ["the log", (link: Link) => link.log("warn", "key", { key: link.credentials.key })],
    [
      "an exchange",
      (link: Link) =>
        void link
          .request({
            method: "GET",
            url: `${link.settings.url}/?k=${Buffer.from(link.credentials.key).toString("base64url")}`,
          })
          .catch(() => {}),
    ],
  ])("a secret in %s", async (place, leak) => {
    const transport = broken((link) => ({ close: async () => leak(link) }));
    expect(await probeFault(transport, cases, "500")).toEqual([`a secret occurs in ${place}`]);
  });

  it("a secret in the cause of an error", async () => {
    const cause = new Error("inner", { cause: new Error(cases.credentials["key"]) });
    const error = new TransportError("UNKNOWN_ERROR", "x", { retry: "unknown", cause });
    const problems = await probeFault(
      broken(() => ({ send: () => Promise.reject(error) })),
      cases,
      "500",
    );
    expect(problems).toEqual(["a secret occurs in an error"]);
  });

  it("methods without a capability, and a close that fails", async () => {
    const transport = broken(() => ({
      edit: async () => {},
      close: () => Promise.reject(new Error("stuck")),
    }));
    expect(await probeCapabilities(transport, cases)).toEqual(["edit", "close: Error: stuck"]);
  });

  it("methods that a sign-in, a shared callback address and templates require", async () => {
    const claims = {
      ...definition,
      connect: "redirect",
      calledBack: "app",
      capabilities: { ...definition.capabilities, templates: true },
    } as const;
    const { verify: _, ...bare } = connector;
    const transport = defineTransport(claims, bare as TransportConnector<typeof claims>);
    const missing = ["verify", "signIn", "receiveForApp", "templates"];
    expect(await probeCapabilities(transport, cases)).toEqual(missing);
    const methods = {
      // Credentials may be brought about by a sign-in.
      signIn: { isOffered: () => true, start: oops, comeBack: oops },
      invite: async () => ({ url: "https://postbox.example" }),
      receiveForApp: async () => ({ status: 200 }),
      templates: { create: oops, change: oops, remove: oops },
    };
    expect(await probeCapabilities(defineTransport(definition, { ...connector, ...methods }), cases)).toEqual(
      ["invite", "receiveForApp", "templates"],
    );
    const invites = { ...definition, connect: "invitation" } as const;
    const uninvited = defineTransport(invites, connector as unknown as TransportConnector<typeof invites>);
    expect(await probeCapabilities(uninvited, cases)).toEqual(["invite"]);
  });

  it("a channel's callback address without a handler", async () => {
    const claims = { ...definition, calledBack: "channel" } as const satisfies TransportDefinition;
    const transport = defineTransport(claims, connector as unknown as TransportConnector<typeof claims>);
    expect(await probeCapabilities(transport, cases)).toEqual(["receive"]);
  });

  it("templates that throw other errors", async () => {
    const templates = { create: oops, change: oops, remove: oops };
    const transport = defineTransport(definition, { ...connector, templates });
    expect(await probeFault(transport, cases, "500")).toEqual(
      ["create", "change", "remove"].map((name) => `templates.${name}: Error: oops is not a TransportError`),
    );
  });

  it("a replay that emits other events", async () => {
    let count = 0;
    const counting: ConformanceCases = {
      ...cases,
      replay: (_, link: ChannelLink) =>
        link.emit({ kind: "deleted", ref: { ...cases.ref, externalId: String(++count) }, at: new Date(0) }),
    };
    expect(await probeSample(postbox, counting, letter)).toEqual(["a replay emits other events"]);
  });
});

describe("group updates", () => {
  const claims = {
    ...definition,
    chatTypes: ["telegram", "telegroup"],
    capabilities: { ...definition.capabilities, groupUpdates: ["title", "members"] },
  } as const satisfies TransportDefinition;
  const clubs = defineTransport(claims, connector as unknown as TransportConnector<typeof claims>);
  const ref = { chatType: "telegroup", chatId: "-1", externalId: "5" } as const;
  const at = new Date(0);
  const ann = { id: "7", name: "Ann" };
  const renamed: TransportEvent = { kind: "group", ref, at, by: ann, title: "Club" };
  const joined: TransportEvent = {
    kind: "members",
    ref,
    at,
    title: "Club",
    members: [{ change: "added", person: ann }],
  };

  it("that are declared have samples", async () => {
    const some: ConformanceCases = { ...cases, samples: [letter, renamed] };
    expect(await probeGroupUpdates(clubs, some)).toEqual(["no sample updates a group's members"]);
    expect(await probeGroupUpdates(clubs, { ...some, samples: [renamed, joined] })).toEqual([]);
    expect(await probeGroupUpdates(postbox, cases)).toEqual([]);
  });

  const faulty: readonly (readonly [TransportEvent, readonly string[]])[] = [
    [renamed, []],
    [joined, []],
    [{ ...renamed, picture: { token: "p" } }, ["group updates of picture are not declared"]],
    [{ ...renamed, picture: null }, ["group updates of picture are not declared"]],
    [{ ...renamed, title: "" }, ["a group's title is empty"]],
    [{ kind: "group", ref, at }, ["nothing of the group changed"]],
    [{ ...renamed, ref: { ...ref, chatType: "telegram" } }, ["a private chat is not a group"]],
    [{ ...renamed, ref: { ...ref, externalId: "" } }, ["an id is empty"]],
    [{ ...joined, at: new Date(Number.NaN), members: [] }, ["at is not a date", "no membership changed"]],
    [{ ...joined, members: [{ change: "left", person: { id: "7", name: "" } }] }, ["a person has no name"]],
    [
      { ...joined, members: [...joined.members, { change: "promoted", person: ann }] },
      ["a person is listed twice"],
    ],
  ];
  it.each(faulty)("%#", (event, problems) => expect(findEventProblems(claims, event)).toEqual(problems));

  it("need groups", () => {
    const alone = { ...claims, chatTypes: ["telegram"] } as const;
    expect(findDefinitionProblems(alone)).toEqual(["group updates are declared, but there are no groups"]);
  });
});

describe("findDefinitionProblems", () => {
  const pacing = { ...definition.pacing, channel: { perSecond: 0, burst: 1 } };
  const settings = { url: { env: "postbox-url", default: "nowhere", help: " ", address: true as const } };
  const careful = (care: Partial<Pacing>): TransportDefinition => ({
    ...definition,
    pacing: { ...definition.pacing, ...care },
  });
  const NOTHING_PASSES = "the allowance of first contacts allows nothing";
  const faulty: readonly (readonly [TransportDefinition, readonly string[]])[] = [
    [{ ...definition, id: "Post Box" }, ["id must be lower-case letters"]],
    [{ ...definition, pacing }, ["a pacing bucket allows nothing"]],
    [careful({ firstContact: { perDay: 0, burst: 1, jitterMs: 0 } }), [NOTHING_PASSES]],
    [careful({ firstContact: { perDay: 20, burst: 0, jitterMs: 0 } }), [NOTHING_PASSES]],
    [careful({ firstContact: { perDay: 1, burst: 1, jitterMs: -1 } }), ["jitter is negative"]],
    [careful({ warmUp: { days: 5, share: 0.5 } }), ["a warm-up needs an allowance of first contacts"]],
    [
      careful({ firstContact: { perDay: 1, burst: 1, jitterMs: 0 }, warmUp: { days: 5, share: 1.5 } }),
      ["the warm-up has no days or no share of the allowance"],
    ],
    [careful({ firstContact: { perDay: 1, burst: 1, jitterMs: 9 }, warmUp: { days: 5, share: 1 } }), []],
    [{ ...definition, chatTypes: ["viber", "viber"] }, ["a chat type is listed twice"]],
    [
      { ...definition, credentials: Type.Object({ key: Type.String() }) },
      ["no credential is marked sensitive"],
    ],
    [
      { ...definition, settings },
      ["a setting's env name is invalid", "a setting has no help", "an address is not a URL"],
    ],
    [
      { ...definition, connect: "redirect", credentials: Type.Object({}) },
      ["no credential is marked sensitive"],
    ],
    [{ ...definition, connect: "qr", credentials: Type.Object({}) }, []],
    [{ ...definition, label: "" }, ["label is empty"]],
  ];
  it.each(faulty)("%#", (each, problems) => expect(findDefinitionProblems(each)).toEqual(problems));
});

const TEMPLATE: Template = {
  externalId: "1",
  name: "greeting",
  language: "en",
  category: "UTILITY",
  status: "APPROVED",
  components: [],
};

function nameless(direction: "in" | "echo"): TransportEvent {
  if (letter.kind !== "message") throw new Error("no letter");
  return { kind: "message", message: { ...letter.message, direction, contact: { name: "" } } };
}

describe("findEventProblems", () => {
  const at = new Date(0);
  const ref = cases.ref;
  const faulty: readonly (readonly [TransportEvent, readonly string[]])[] = [
    [
      { kind: "edited", ref, body: { type: "unsupported", what: "" }, at },
      ["an unsupported message has no name"],
    ],
    [{ kind: "deleted", ref: { ...ref, chatType: "vk" }, at }, ["chat type vk is not declared"]],
    [{ kind: "deleted", ref, at: new Date(Number.NaN) }, ["at is not a date"]],
    [{ kind: "receipt", ref, status: "delivered", at }, ["receipt delivered is not declared"]],
    [{ kind: "moved", chatType: "viber", chatId: "1", newChatId: "1" }, ["the chat does not move"]],
    [
      { kind: "failed", ref, error: { code: "SPAM", description: "" }, at: new Date(Number.NaN) },
      ["at is not a date", "a failure has no description"],
    ],
    [{ kind: "templates", templates: [TEMPLATE, { ...TEMPLATE, name: "" }] }, ["a template has no name"]],
    [{ kind: "template", template: { ...TEMPLATE, externalId: "" } }, ["a template has no name"]],
    [{ kind: "template", template: TEMPLATE }, []],
    [{ kind: "tier", tier: "TIER_2K" }, []],
    [nameless("in"), []],
    [
      { kind: "cooldown", cooldown: { until: new Date(Number.NaN), reason: "" } },
      ["the end of a cooldown is not a date", "a cooldown has no reason"],
    ],
    [{ kind: "cooldown", cooldown: null }, []],
    [letter, []],
  ];
  it.each(faulty)("%#", (event, problems) => expect(findEventProblems(definition, event)).toEqual(problems));
});

describe("leaks", () => {
  const secret = "p@ss/word+1";
  it.each([
    "x p@ss/word+1 y",
    "p%40ss%2Fword%2B1",
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("hex"),
  ])("sees the secret in %s", (text) => expect(leaks(text, [secret])).toBe(true));
  it("does not report a secret that is absent", () => expect(leaks("password", [secret])).toBe(false));
  it("prints values that are not errors", () => expect(printError("text")).toBe("text"));
});
