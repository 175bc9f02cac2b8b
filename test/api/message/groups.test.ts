import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { askSession, takeRequest, waitingRequests } from "../../../src/core/channel/session-requests.ts";
import type { GroupCapabilities } from "../../../src/core/transport/definition.ts";
import { GroupRefused, TransportError } from "../../../src/core/transport/errors.ts";
import { newId } from "../../../src/platform/ids.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import { write } from "../kit/inbound.ts";
import { createMessenger, startSending, type TestMessenger } from "../kit/sending.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const WIDE = { perSecond: 1_000, burst: 1_000 };
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
const GROUPS: GroupCapabilities = {
  chatType: "whatsgroup",
  create: true,
  rename: true,
  picture: { mimeTypes: ["image/jpeg"], maxBytes: 1_000 },
  participants: ["add", "remove"],
  roles: ["promote"],
  limits: { name: 25, people: { min: 1, max: 4 } },
};

let messenger: TestMessenger;
let database: TestDatabase;
let node: TestNode;
let stop: () => Promise<void>;
let account: TestAccount;
/** Opening a channel takes a while. */
let shared: string;
let channelId: string;

beforeAll(async () => {
  const firstContact = { perDay: 1_000, burst: 1, jitterMs: 0 };
  messenger = createMessenger(
    { channel: WIDE, chat: WIDE, jitterMs: 0, firstContact },
    { addressBy: ["chatId", "phone"], groups: GROUPS },
  );
  const { definition, connector } = createMessenger({ channel: WIDE, chat: WIDE, jitterMs: 0 }).transport;
  const without = { definition: { ...definition, id: "viber" }, connector };
  database = await startTestDatabase();
  node = await startNode({
    database,
    transports: [messenger.transport, without],
    allowNetworks: ["127.0.0.0/8"],
  });
  stop = await startSending(node, { allowNetworks: ["127.0.0.0/8"] });
  account = await addAccount(node.db);
  shared = await addChannel(node, account, { transport: "whatsapp" });
});
afterAll(async () => {
  await stop();
  await node.stop();
  await database.stop();
});
beforeEach(async () => {
  messenger.groups = {};
  channelId = shared;
});

interface Rest {
  readonly token?: string;
  readonly key?: string;
}
function ask(method: "GET" | "POST" | "PATCH", path: string, body?: object, { token, key }: Rest = {}) {
  return call(node, method, `/v2/groups${path}`, {
    token: token ?? account.access,
    ...(body === undefined ? {} : { body }),
    ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
  });
}
const create = (people: readonly object[], more: object = {}, rest?: Rest): Promise<Answer> =>
  ask("POST", "", { channel_id: channelId, name: "Team", participants: people, ...more }, rest);
const change = (body: object, rest?: Rest): Promise<Answer> =>
  ask("PATCH", "/120363", { channel_id: channelId, ...body }, rest);
const dataOf = ({ json }: Answer) => (json as { data: Record<string, unknown> }).data;

/** What has arrived since. */
function watch(): () => TestMessenger["grouped"] {
  const before = messenger.grouped.length;
  return () => messenger.grouped.slice(before);
}

describe("creating", () => {
  test("the group comes with its members, and a message can be sent to it at once", async () => {
    const arrived = watch();
    const answer = await create([{ chat_id: "79001@s.whatsapp.net" }, { phone: "+7 (9002) 00-01" }]);
    expect([answer.status, dataOf(answer)]).toMatchObject([
      200,
      {
        channel_id: channelId,
        chat_type: "whatsgroup",
        name: "Team",
        participants_count: 3,
        participants: [
          { chat_id: "79990000000", name: "Shop", role: "owner", is_own: true },
          { chat_id: "79001", role: "member", is_own: false, phone: null },
          {},
        ],
        results: [
          { participant: { chat_id: "79001" }, chat_id: "79001", result: "done", details: null },
          { participant: { phone: "790020001" }, result: "done" },
        ],
      },
    ]);
    expect(arrived()).toMatchObject([
      { created: { name: "Team", people: [{ id: "79001" }, { phone: "790020001" }] } },
    ]);
    const chatId = String(dataOf(answer)["chat_id"]);
    const [chat] = await node.db.query("select name from chats where account_id = $1 and chat_id = $2", [
      account.id,
      chatId,
    ]);
    expect(chat).toEqual({ name: "Team" });
    const sent = await call(node, "POST", "/v2/messages", {
      token: account.access,
      body: {
        channel_id: channelId,
        recipient: { chat_type: "whatsgroup", chat_id: chatId },
        text: `To ${chatId}`,
      },
    });
    expect(sent.status).toBe(200);
    await messenger.untilArrived(`To ${chatId}`);
    expect(await node.db.query("select 1 from session_requests where account_id = $1", [account.id])).toEqual(
      [],
    );
  });

  test("what became of each person is in the answer", async () => {
    messenger.groups.create = async ({ name, people: [one = { id: "" }, two = { id: "" }] }) => ({
      group: { chatId: "120363777", name, size: 1, members: [] },
      people: [
        { person: one, result: "invitation_needed", data: "403" },
        { person: two, result: "unknown" },
      ],
    });
    expect(dataOf(await create([{ chat_id: "79003" }, { chat_id: "79004" }]))["results"]).toEqual([
      { participant: { chat_id: "79003" }, chat_id: null, result: "invitation_needed", details: "403" },
      { participant: { chat_id: "79004" }, chat_id: null, result: "unknown", details: null },
    ]);
  });

  test("once for each Idempotency-Key", async () => {
    const arrived = watch();
    const [first, second] = [
      await create([{ chat_id: "79005" }], {}, { key: "a" }),
      await create([{ chat_id: "79005" }], {}, { key: "a" }),
    ];
    expect(second.text).toBe(first.text);
    expect(arrived()).toHaveLength(1);
  });

  test("an unknown outcome stays unknown, and a repetition creates nothing", async () => {
    const arrived = watch();
    messenger.groups.create = () => {
      throw new TransportError("UNKNOWN_ERROR", "no answer", { retry: "unknown" });
    };
    expect(outcome(await create([{ chat_id: "79006" }], {}, { key: "b" }))).toBe("409 GROUP_OUTCOME_UNKNOWN");
    messenger.groups = {};
    expect(outcome(await create([{ chat_id: "79006" }], {}, { key: "b" }))).toBe("409 GROUP_OUTCOME_UNKNOWN");
    expect(arrived()).toHaveLength(1);
  });

  test("a node that ended before it stored the answer leaves it unknown; a later answer is given", async () => {
    const arrived = watch();
    channelId = await addChannel(node, account, { transport: "whatsapp" });
    const repeat = () => create([{ chat_id: "79007" }], {}, { key: "c" });
    const answer = await repeat();
    const of = "where account_id = $1 and channel_id = $2";
    const key = [account.id, channelId];
    const [creation] = await node.db.query<{ answer: unknown }>(
      `select answer from group_creations ${of}`,
      key,
    );
    await node.db.query(`update group_creations set answer = null ${of}`, key);
    await node.db.query(
      "update idempotency_keys set status = null, answer = null, locked_until = now() where account_id = $1 and key = 'c'",
      [account.id],
    );
    expect(outcome(await repeat())).toBe("409 GROUP_OUTCOME_UNKNOWN");
    const stored = JSON.stringify(creation?.answer);
    await node.db.query(`update group_creations set answer = $3 ${of}`, [...key, stored]);
    expect(dataOf(await repeat())).toEqual(dataOf(answer));
    expect(arrived()).toHaveLength(1);
  });

  test("what certainly had no effect may be repeated, and costs nothing", async () => {
    channelId = await addChannel(node, account, { transport: "whatsapp" });
    messenger.groups.create = () => {
      throw new TransportError("UNKNOWN_ERROR", "not connected", { retry: "later" });
    };
    const refused = await create([{ chat_id: "79008" }], {}, { key: "d" });
    expect([outcome(refused), refused.headers["retry-after"]]).toEqual(["503 MESSENGER_UNAVAILABLE", "10"]);
    expect(await node.db.query("select 1 from first_contacts where channel_id = $1", [channelId])).toEqual(
      [],
    );
    messenger.groups = {};
    expect(outcome(await create([{ chat_id: "79008" }], {}, { key: "d" }))).toBe("200");
  });
});

test("the request reaches the session from any node", async () => {
  const other = await startNode({ database, transports: [messenger.transport] });
  onTestFinished(() => other.stop());
  const body = { channel_id: channelId, name: "From afar", participants: [{ chat_id: "79009" }] };
  const answer = await call(other, "POST", "/v2/groups", { token: account.access, body });
  expect([answer.status, dataOf(answer)]).toMatchObject([200, { name: "From afar" }]);
});

describe("pacing", () => {
  beforeEach(async () => {
    channelId = await addChannel(node, account, { transport: "whatsapp" });
    await node.db.query("insert into channel_pacing (account_id, channel_id, changes) values ($1, $2, $3)", [
      account.id,
      channelId,
      JSON.stringify({ firstContactsPerDay: 3 }),
    ]);
  });

  test("a new group and each stranger are first contacts; people who wrote are not", async () => {
    const known = ["79010", "79011"];
    await write(node, { account, channelId }, [
      ["79010", "hi 10"],
      ["79011", "hi 11"],
    ]);
    const strangers = [{ chat_id: "79012" }, { chat_id: "79013" }, { chat_id: "79014" }];
    const refused = await create(strangers);
    expect([outcome(refused), refused.json]).toMatchObject([
      "429 GROUP_LIMIT_REACHED",
      { data: { reason: "allowance" } },
    ]);
    expect(refused.headers["retry-after"]).toBeUndefined();
    expect(outcome(await create(known.map((chat_id) => ({ chat_id }))))).toBe("200");
    expect(outcome(await change({ participants: { add: strangers } }))).toBe("429 GROUP_LIMIT_REACHED");
    const later = await create(strangers.slice(0, 2));
    expect(Number(later.headers["retry-after"])).toBeGreaterThan(86_000);
    expect(outcome(await change({ participants: { add: strangers.slice(0, 2) } }))).toBe("200");
    // The same allowance as that of messages.
    const { json } = await call(node, "GET", `/v2/channels/${channelId}/pacing`, { token: account.access });
    expect(json).toMatchObject({ data: [{ first_contacts: { allowance: 3, left: 0 } }] });
  });

  test("the messenger's warning ends it for strangers, and its pause for everything", async () => {
    const until = new Date(Date.now() + 3_600_000);
    messenger.groups.create = () => {
      throw new TransportError("SPAM", "too many", { cooldown: { until, reason: "warned" } });
    };
    const warned = await create([{ chat_id: "79015" }]);
    expect([outcome(warned), warned.json]).toMatchObject([
      "400 GROUP_REFUSED",
      { data: { description: "too many" } },
    ]);
    messenger.groups = {};
    await vi.waitUntil(
      async () => outcome(await create([{ chat_id: "79015" }])) === "429 GROUP_LIMIT_REACHED",
    );
    expect(outcome(await change({ name: "Crew" }))).toBe("200");
    messenger.groups.change = () => {
      throw new TransportError("TOO_MANY_EXT_REQS", "slow", { retry: { afterMs: 60_000, scope: "channel" } });
    };
    const slow = await change({ name: "Crew" });
    expect([outcome(slow), slow.headers["retry-after"]]).toEqual(["503 MESSENGER_UNAVAILABLE", "60"]);
  });
});

describe("reading", () => {
  test("as the messenger knows it", async () => {
    messenger.groups.read = async (chatId) => ({
      chatId,
      name: "Café 👋",
      size: 3_000,
      members: [{ id: "79020", name: "Bob", username: "bob", phone: "79020", role: "admin" }],
    });
    const answer = await ask("GET", `/120363@g.us?channel_id=${channelId}`);
    expect([answer.status, dataOf(answer)]).toEqual([
      200,
      {
        channel_id: channelId,
        chat_type: "whatsgroup",
        chat_id: "120363",
        name: "Café 👋",
        participants_count: 3_000,
        participants: [
          { chat_id: "79020", name: "Bob", username: "bob", phone: "79020", role: "admin", is_own: false },
        ],
      },
    ]);
  });

  test.each([
    ["not_found", "404 GROUP_NOT_FOUND"],
    ["not_a_member", "400 GROUP_NOT_A_MEMBER"],
  ] as const)("refused as %s", async (reason, expected) => {
    messenger.groups.read = () => {
      throw new GroupRefused(reason, "no");
    };
    expect(outcome(await ask("GET", `/1?channel_id=${channelId}`))).toBe(expected);
  });

  test("an unknown outcome of reading is none", async () => {
    messenger.groups.read = () => {
      throw new TransportError("UNKNOWN_ERROR", "no answer", { retry: "unknown" });
    };
    expect(outcome(await ask("GET", `/1?channel_id=${channelId}`))).toBe("503 MESSENGER_UNAVAILABLE");
  });
});

/** Serves these bytes until the test ends. */
async function serve(bytes: Buffer): Promise<string> {
  const host = createServer((_, response) => response.end(bytes));
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void host.close());
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}/picture`;
}

describe("changing", () => {
  test("everything at once, in a fixed order", async () => {
    const arrived = watch();
    const answer = await change({
      roles: { promote: [{ chat_id: "79030" }] },
      participants: { remove: [{ chat_id: "79031" }], add: [{ phone: "79032" }] },
      picture_uri: await serve(JPEG),
      name: "Crew",
    });
    expect([answer.status, dataOf(answer)]).toMatchObject([
      200,
      {
        chat_id: "120363",
        results: [
          { change: "add", participant: { phone: "79032" }, result: "done" },
          { change: "remove", participant: { chat_id: "79031" } },
          { change: "promote", participant: { chat_id: "79030" } },
        ],
      },
    ]);
    expect(arrived()).toMatchObject([
      { chatId: "120363", change: { kind: "rename", name: "Crew" } },
      {
        change: { kind: "picture", picture: { mimeType: "image/jpeg", size: 7 } },
        picture: JPEG.toString("latin1"),
      },
      { change: { kind: "add" } },
      { change: { kind: "remove" } },
      { change: { kind: "promote" } },
    ]);
  });

  test("a refusal says what was changed before it", async () => {
    messenger.groups.change = async (_, { kind }) => {
      if (kind === "rename") return [];
      throw new GroupRefused("not_an_admin", "only admins", { data: "403" });
    };
    const answer = await change({ name: "Crew", participants: { remove: [{ chat_id: "79033" }] } });
    expect([outcome(answer), answer.json]).toMatchObject([
      "400 GROUP_NOT_AN_ADMIN",
      { data: { description: "only admins", details: "403", done: ["name"] } },
    ]);
  });

  test("a picture is removed", async () => {
    const arrived = watch();
    expect(outcome(await change({ remove_picture: true }))).toBe("200");
    expect(arrived()).toMatchObject([{ change: { kind: "picture", picture: null } }]);
  });

  test.each([
    ["of another type than it says", Buffer.from("GIF89a")],
    ["that is empty", Buffer.alloc(0)],
    ["that is too big", Buffer.concat([JPEG, Buffer.alloc(2_000)])],
  ])("a picture %s is not asked of the messenger", async (_, bytes) => {
    const arrived = watch();
    expect(outcome(await change({ picture_uri: await serve(bytes) }))).toBe("400 GROUP_PICTURE_REFUSED");
    expect(arrived()).toEqual([]);
  });

  test.each([
    ["unknown_person", "400 GROUP_PARTICIPANT_NOT_FOUND"],
    ["too_many_people", "400 GROUP_TOO_MANY_PARTICIPANTS"],
    ["bad_name", "400 GROUP_NAME_REFUSED"],
    ["bad_picture", "400 GROUP_PICTURE_REFUSED"],
    ["refused", "400 GROUP_REFUSED"],
  ] as const)("refused as %s", async (reason, expected) => {
    messenger.groups.change = () => {
      throw new GroupRefused(reason, "no");
    };
    expect(outcome(await change({ name: "Crew" }))).toBe(expected);
  });

  test("a fault of the connector is an unknown outcome", async () => {
    messenger.groups.change = () => {
      throw new TypeError("a bug");
    };
    expect(outcome(await change({ name: "Crew" }))).toBe("409 GROUP_OUTCOME_UNKNOWN");
  });
});

describe("what core refuses by itself", () => {
  test.each<[string, object, string]>([
    ["nothing to change", {}, "400 VALIDATION_ERROR name"],
    ["a name of spaces", { name: "  " }, "400 VALIDATION_ERROR name"],
    ["a long name", { name: "x".repeat(26) }, "400 VALIDATION_ERROR name"],
    ["a private address", { picture_uri: "http://10.0.0.1/x" }, "400 ATTACHMENT_URL_NOT_ALLOWED picture_uri"],
    [
      "two wishes for the picture",
      { picture_uri: "http://a.example/x", remove_picture: true },
      "400 VALIDATION_ERROR remove_picture",
    ],
    ["a person without a name", { participants: { add: [{}] } }, "400 VALIDATION_ERROR participants.add.0"],
    [
      "a person with two names",
      { participants: { add: [{ chat_id: "79001", phone: "79001" }] } },
      "400 VALIDATION_ERROR participants.add.0",
    ],
    [
      "a username where there are none",
      { roles: { promote: [{ username: "bob" }] } },
      "400 VALIDATION_ERROR roles.promote.0.username",
    ],
    [
      "no number",
      { participants: { remove: [{ phone: "12" }] } },
      "400 VALIDATION_ERROR participants.remove.0.phone",
    ],
    [
      "a person named twice",
      { participants: { add: [{ chat_id: "79001" }, { chat_id: "+79001" }] } },
      "400 VALIDATION_ERROR participants.add.1",
    ],
    [
      "too many people",
      { participants: { add: Array.from({ length: 5 }, (_, index) => ({ chat_id: `7900${index}` })) } },
      "400 GROUP_TOO_MANY_PARTICIPANTS",
    ],
    [
      "what the transport cannot do",
      { roles: { demote: [{ chat_id: "79001" }] } },
      "400 CHANNEL_INVALID_TRANSPORT",
    ],
  ])("%s", async (_, body, expected) => {
    const arrived = watch();
    expect(outcome(await change(body))).toBe(expected);
    expect(arrived()).toEqual([]);
  });

  test("a group needs people", async () => {
    expect(outcome(await create([]))).toBe("400 VALIDATION_ERROR participants");
  });

  test("another account's channel is missing", async () => {
    const { access: token } = await addAccount(node.db);
    expect(outcome(await create([{ chat_id: "79001" }], {}, { token }))).toBe("404 CHANNEL_NOT_FOUND");
    expect(outcome(await change({ name: "x" }, { token }))).toBe("404 CHANNEL_NOT_FOUND");
    expect(outcome(await ask("GET", `/1?channel_id=${channelId}`, undefined, { token }))).toBe(
      "404 CHANNEL_NOT_FOUND",
    );
  });

  test.each([
    ["disabled", "unauthorized", "400 MESSAGE_CHANNEL_UNAVAILABLE"],
    ["disabled", "blocked", "400 CHANNEL_BLOCKED"],
    ["init", "qr", "400 MESSAGE_CHANNEL_UNAVAILABLE"],
  ])("a channel that is %s (%s)", async (status, reason, expected) => {
    channelId = await addChannel(node, account, { transport: "whatsapp", status, reason });
    expect(outcome(await create([{ chat_id: "79001" }]))).toBe(expected);
  });

  test("a transport without groups", async () => {
    channelId = await addChannel(node, account, { transport: "viber" });
    expect(outcome(await create([{ chat_id: "79001" }]))).toBe("400 CHANNEL_INVALID_TRANSPORT");
    expect(outcome(await change({ name: "Crew" }))).toBe("400 CHANNEL_INVALID_TRANSPORT");
    expect(outcome(await ask("GET", `/1?channel_id=${channelId}`))).toBe("400 CHANNEL_INVALID_TRANSPORT");
  });
});

describe("requests to sessions", () => {
  /** Every reading is half a minute later. */
  function hasty() {
    let now = 0;
    return { ...node.core.clock, monotonicMs: () => (now += 30_000) };
  }

  test("one that no session has begun with is withdrawn, and none begins with it any more", async () => {
    const id = newId();
    const asked = askSession({ ...node.core, clock: hasty() }, { accountId: account.id }, newId(), {
      kind: "group",
      body: {},
      id,
    });
    await expect(asked).rejects.toMatchObject({ code: "MESSENGER_UNAVAILABLE" });
    expect(await node.db.query("select 1 from session_requests where id = $1", [id])).toEqual([]);
  });

  test("one that cannot be read keeps no other waiting", async () => {
    const [unreadable, channel] = [newId(), newId()];
    await node.db.query(
      "insert into session_requests (account_id, id, channel_id, kind, request) values ($1, $2, $3, 'group', 'x')",
      [account.id, unreadable, channel],
    );
    const body = "readable";
    const asked = askSession(node.core, { accountId: account.id }, channel, { kind: "group", body });
    await vi.waitUntil(async () => {
      const found = await waitingRequests(node.core, (each) => each.channelId === channel);
      return found.length > 0 && found.every((each) => each.body === body);
    });
    await node.db.query("delete from session_requests where channel_id = $1", [channel]);
    expect(await asked).toBeNull();
  });

  test("one that a session has begun with is unknown, and nobody begins again", async () => {
    const owner = newId();
    channelId = await addChannel(node, account, { transport: "viber" });
    // Of a dead node, for the node of these tests: it would take over any other.
    await node.db.query(
      "update channels set owner = $2, epoch = 7, status = 'disabled', reason = 'blocked' where id = $1",
      [channelId, owner],
    );
    const scope = { accountId: account.id };
    const asked = askSession(node.core, scope, channelId, { kind: "login", body: "step" });
    const [request] = await vi.waitUntil(async () => {
      const found = await waitingRequests(node.core, (each) => each.channelId === channelId);
      return found.length > 0 ? found : undefined;
    });
    if (request === undefined) throw new Error("unreachable");
    expect(request.body).toBe("step");
    expect(await takeRequest(node.db, newId(), { epoch: 7 }, request)).toBe(false);
    expect(await takeRequest(node.db, owner, { epoch: 6 }, request)).toBe(false);
    expect(await takeRequest(node.db, owner, { epoch: 7 }, request)).toBe(true);
    expect(await takeRequest(node.db, owner, { epoch: 7 }, request)).toBe(false);
    expect(await waitingRequests(node.core, () => true)).toEqual([]);
    const again = askSession({ ...node.core, clock: hasty() }, scope, channelId, {
      kind: "login",
      body: "",
      id: request.id,
    });
    expect(await again).toBeNull();
    expect(await asked).toBeNull();
  });
});
