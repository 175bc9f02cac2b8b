import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { addTrigger } from "../../kit/database.ts";
import { call, outcome } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";
import { sweeperOf } from "../kit/sweeper.ts";

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

const create = (body: unknown) => call(node, "POST", "/v2/channels", { token: account.access, body });
const dataOf = (answer: { json: unknown }) => (answer.json as { data: Record<string, unknown>[] }).data;

describe("create", () => {
  test.each([
    ["nothing", {}, "400 VALIDATION_ERROR credentials transport"],
    ["an unknown transport", { transport: "signal", credentials: {} }, "400 TRANSPORT_NOT_AVAILABLE"],
    ["vk, which is linked on a page", { transport: "vk", credentials: {} }, "400 VALIDATION_ERROR transport"],
    ["no credentials", { transport: "whatsapp" }, "400 VALIDATION_ERROR credentials"],
    ["null credentials", { transport: "whatsapp", credentials: null }, "400 VALIDATION_ERROR credentials"],
    [
      "a list of credentials",
      { transport: "whatsapp", credentials: [{}] },
      "400 VALIDATION_ERROR credentials",
    ],
    [
      "more than is known",
      { transport: "whatsapp", credentials: {}, name: "x" },
      "400 VALIDATION_ERROR name",
    ],
    [
      "a transport that is not installed",
      { transport: "avito", credentials: { code: "x" } },
      "400 TRANSPORT_NOT_AVAILABLE",
    ],
    [
      "no token",
      { transport: "telegram", credentials: {} },
      "400 VALIDATION_ERROR credentials.telegram_token",
    ],
    [
      "a null token",
      { transport: "telegram", credentials: { telegram_token: null } },
      "400 VALIDATION_ERROR credentials.telegram_token",
    ],
    [
      "a token of another type",
      { transport: "telegram", credentials: { telegram_token: 1 } },
      "400 VALIDATION_ERROR credentials.telegram_token",
    ],
    [
      "more than a token",
      { transport: "telegram", credentials: { telegram_token: "good:1", token: "good:1" } },
      "400 VALIDATION_ERROR credentials.token",
    ],
    [
      "a token by another name",
      { transport: "telegram", credentials: { token: "good:1" } },
      "400 VALIDATION_ERROR credentials.telegram_token credentials.token",
    ],
    [
      "credentials where there are none",
      { transport: "whatsapp", credentials: { phone: "79990001122" } },
      "400 VALIDATION_ERROR credentials.phone",
    ],
    [
      "others than those of a page",
      { transport: "wapi", credentials: { constructor: "x" } },
      "400 VALIDATION_ERROR credentials.constructor credentials.key",
    ],
    [
      "a refused token",
      { transport: "telegram", credentials: { telegram_token: "bad" } },
      "400 WRONG_CREDENTIALS",
    ],
    [
      "a messenger that is away",
      { transport: "telegram", credentials: { telegram_token: "away" } },
      "503 MESSENGER_UNAVAILABLE",
    ],
  ])("%s: %s", async (_name, body, expected) => {
    expect(outcome(await create(body))).toBe(expected);
  });

  test("the error names the page on which vk is linked", async () => {
    expect((await create({ transport: "vk", credentials: {} })).json).toMatchObject({
      data: {
        fields: [{ field: "transport", message: expect.stringContaining("/v2/iframe-links/channels") }],
      },
    });
  });

  test("no credentials may be an empty list, as PHP writes them", async () => {
    const body = { transport: "whatsapp", credentials: [] };
    expect((await call(node, "POST", "/v2/channels", { token: account.access, body })).status).toBe(200);
  });

  test("returns the channel, which exists from then on", async () => {
    const answer = await create({ transport: "telegram", credentials: { telegram_token: "good:11" } });
    expect(answer.status).toBe(200);
    const [created] = dataOf(answer);
    expect(created).toEqual({
      channel_id: expect.any(String),
      transport: "telegram",
    });
    const found = await call(node, "GET", `/v2/channels/${created?.["channel_id"]}`, {
      token: account.access,
    });
    expect(dataOf(found)).toEqual([
      {
        channel_id: created?.["channel_id"],
        transport: "telegram",
        state: "init",
        status: "init",
        reason: null,
        phone: "",
        username: "bot11",
        messenger_id: expect.any(String),
        name: "Bot 11",
        url: "https://t.me/bot11",
        tier: "TIER_0",
        tariff: null,
        restrictions: [],
      },
    ]);
  });

  test("a channel without an address has no url", async () => {
    const answer = await create({ transport: "whatsapp", credentials: {} });
    expect(dataOf(answer)).toEqual([{ channel_id: expect.any(String), transport: "whatsapp" }]);
  });
});

describe("one channel and all of them", () => {
  test("an account sees only its own, in the order of their creation", async () => {
    const owner = await addAccount(node.db);
    const ids = [
      await addChannel(node, owner, { transport: "wapi" }),
      await addChannel(node, owner, { transport: "viber", status: "disabled", reason: "qridle" }),
    ];
    const answer = await call(node, "GET", "/v2/channels", { token: owner.access });
    expect(dataOf(answer).map(({ channel_id, state }) => [channel_id, state])).toEqual([
      [ids[0], "active"],
      [ids[1], "qridle"],
    ]);
  });

  test.each([
    "active",
    "init/qr",
    "init/wait_for_password",
    "disabled/openelsewhere",
    "disabled/not_enough_money",
  ])("%s", async (pair) => {
    const [status = "", reason] = pair.split("/");
    const id = await addChannel(node, account, {
      transport: "whatsapp",
      status,
      ...(reason ? { reason } : {}),
    });
    const answer = await call(node, "GET", `/v2/channels/${id}`, { token: account.access });
    expect(dataOf(answer)).toMatchObject([{ channel_id: id, status, reason: reason ?? null }]);
  });
});

describe("reinit, password, pairing code", () => {
  test("reinit answers with the channel", async () => {
    const id = await addChannel(node, account, {
      transport: "whatsapp",
      status: "disabled",
      reason: "unauthorized",
    });
    const answer = await call(node, "POST", `/v2/channels/${id}/reinit`, {
      token: account.access,
      body: { credentials: {} },
    });
    expect(dataOf(answer)).toEqual([
      {
        channel_id: id,
        transport: "whatsapp",
        state: "init",
        phone: "79990001122",
        messenger_id: id,
        tariff: null,
        name: "Shop",
      },
    ]);
  });

  test("reinit of a channel that the operator marked as unpaid changes nothing", async () => {
    const id = await addChannel(node, account, {
      transport: "telegram",
      status: "disabled",
      reason: "not_enough_money",
    });
    await node.db.query("update channels set unpaid = true where id = $1", [id]);
    const row = () => node.db.query("select * from channels where id = $1", [id]);
    const before = await row();
    const reinit = () =>
      call(node, "POST", `/v2/channels/${id}/reinit`, {
        token: account.access,
        body: { credentials: { telegram_token: `good:${id}` } },
      });
    expect(outcome(await reinit())).toBe("400 CHANNEL_NO_MONEY");
    expect(await row()).toEqual(before);
    await node.db.query("update channels set unpaid = false where id = $1", [id]);
    expect((await reinit()).json).toMatchObject({ data: [{ channel_id: id, state: "init" }] });
  });

  test.each([
    ["reinit", {}, "400 VALIDATION_ERROR credentials"],
    ["reinit", { credentials: { telegram_token: "bad" } }, "400 WRONG_CREDENTIALS"],
    [
      "reinit",
      { credentials: { telegram_token: "good:1", token: "x", more: null } },
      "400 VALIDATION_ERROR credentials.token",
    ],
    ["reinit", { credentials: { telegram_token: "good:999" } }, "400 WRONG_CREDENTIALS"],
    ["auth/2fa", {}, "400 VALIDATION_ERROR transport two_factor_code"],
    ["auth/2fa", { two_factor_code: "", transport: "telegram" }, "400 VALIDATION_ERROR two_factor_code"],
    ["auth/2fa", { two_factor_code: "x", transport: "whatsapp" }, "400 WRONG_TRANSPORT"],
    ["auth/2fa", { two_factor_code: "x", transport: "telegram" }, "400 PASSWORD_NOT_EXPECTED"],
    ["pairing-code", {}, "400 VALIDATION_ERROR transport"],
    ["pairing-code", { transport: "whatsapp", pairing_phone: "" }, "400 VALIDATION_ERROR pairing_phone"],
    ["pairing-code", { transport: "telegram", pairing_phone: "7999" }, "400 PAIRING_CODE_NOT_SUPPORTED"],
    ["pairing-code", { transport: "telegram", pairing_phone: null }, "400 PAIRING_CODE_NOT_SUPPORTED"],
  ])("%s %j: %s", async (route, body, expected) => {
    const id = await addChannel(node, account, { transport: "telegram" });
    expect(
      outcome(await call(node, "POST", `/v2/channels/${id}/${route}`, { token: account.access, body })),
    ).toBe(expected);
  });
});

describe("remove", () => {
  test.each([
    ["", 1],
    ["?delete_chats=false", 1],
    ["?delete_chats=0", 1],
    ["?delete_chats=true", 0],
    ["?delete_chats=True", 0],
    ["?delete_chats=1", 0],
  ])("%j keeps %i of the chats", async (query, left) => {
    await node.db.query(
      `insert into webhook_endpoints (account_id, id, version, url, kinds, secret) values
         ($1, $2, 'v3', '', '{channelsUpdates}', $4), ($1, $3, 'v2', '', '{channel.delete}', $4)
       on conflict do nothing`,
      [account.id, newId(), newId(), randomBytes(32)],
    );
    const id = await addChannel(node, account, { transport: "viber" });
    await node.db.query(
      "insert into chats (account_id, id, channel_id, chat_type, chat_id) values ($1, $2, $3, 'viber', '1')",
      [account.id, newId(), id],
    );
    const answer = await call(node, "DELETE", `/v2/channels/${id}${query}`, { token: account.access });
    expect(answer.json).toEqual({ data: null, meta: { timestamp: expect.any(Number) } });
    expect(await node.db.query("select 1 from chats where channel_id = $1", [id])).toHaveLength(left);
    expect(outcome(await call(node, "GET", `/v2/channels/${id}`, { token: account.access }))).toBe(
      "404 CHANNEL_NOT_FOUND",
    );
    const told = await node.db.query<{ kind: string; body: string }>(
      `select kind, body from events
       where account_id = $1 and channel_id = $2 and kind in ('channelsUpdates', 'channel.delete') order by id`,
      [account.id, id],
    );
    const v3 = left === 0 ? [] : ["channelsUpdates"];
    expect(told.map(({ kind }) => kind)).toEqual([...v3, "channel.delete"]);
    for (const { body } of told.slice(0, v3.length))
      expect(JSON.parse(body)).toMatchObject({ channelId: id, state: "disabled" });
  });

  test("all chats go, however many, with their places in the list", async () => {
    const [goes, stays] = [
      await addChannel(node, account, { transport: "viber" }),
      await addChannel(node, account, { transport: "viber" }),
    ];
    await node.db.query(
      `with chat as (
         insert into chats (account_id, id, channel_id, chat_type, chat_id)
         select $1, gen_random_uuid(), case when n > 3 then $2::uuid else $3 end, 'viber', n::text
         from generate_series(1, 10500) n returning id, channel_id)
       insert into chat_order (account_id, chat, channel_id, minute, at) select $1, id, channel_id, 1, now() from chat`,
      [account.id, goes, stays],
    );
    const clock = vi.spyOn(node.core.clock, "monotonicMs").mockReturnValue(performance.now());
    await call(node, "DELETE", `/v2/channels/${goes}?delete_chats=true`, { token: account.access });
    clock.mockRestore();
    for (const table of ["chats", "chat_order"]) {
      const left = `select channel_id from ${table} where channel_id in ($1, $2)`;
      expect(await node.db.query(left, [goes, stays])).toEqual(Array(3).fill({ channel_id: stays }));
    }
  });

  describe("the messages and files of a long history", () => {
    const MESSAGES = 6_000;
    /** Each message has a file. */
    const ALL = 2 * MESSAGES;
    let goes: string;
    let stays: string;
    beforeEach(async () => {
      account = await addAccount(node.db);
      [goes, stays] = [
        await addChannel(node, account, { transport: "viber" }),
        await addChannel(node, account, { transport: "viber" }),
      ];
      await node.db.query(
        `insert into messages (account_id, id, channel_id, chat, direction, type, status, sent_at)
         select $1, gen_random_uuid(), case when n % 2 = 0 then $2::uuid else $3 end, gen_random_uuid(), 'in', 'text', 'inbound', now()
         from generate_series(1, $4) n`,
        [account.id, goes, stays, 2 * MESSAGES],
      );
      await node.db.query(
        `insert into message_words (account_id, message_id, chat, created_at, text)
         select account_id, id, chat, created_at, 'words' from messages where account_id = $1`,
        [account.id],
      );
      await node.db.query(
        `insert into files (account_id, id, channel_id, key, state, source)
         select account_id, gen_random_uuid(), channel_id, id::text, 'stored', '{}' from messages where account_id = $1`,
        [account.id],
      );
    });
    const remove = () =>
      call(node, "DELETE", `/v2/channels/${goes}?delete_chats=true`, { token: account.access });
    const left = async () => {
      const [row] = await node.db.query<object>(
        `select count(*) filter (where channel_id = $2)::int as goes, count(*) filter (where channel_id = $3)::int as stays,
           (select count(*)::int from forgotten_channels where account_id = $1 and not is_second_pass) as unfinished
         from (select account_id, channel_id from messages
               union all select account_id, channel_id from files where state = 'stored') of
         where account_id = $1`,
        [account.id, goes, stays],
      );
      return row;
    };

    test("are deleted with the response", async () => {
      // On a busy machine it may take longer than the answer waits for it.
      const clock = vi.spyOn(node.core.clock, "monotonicMs").mockReturnValue(performance.now());
      expect((await remove()).status).toBe(200);
      clock.mockRestore();
      expect(await left()).toEqual({ goes: 0, stays: ALL, unfinished: 0 });
      const words = await node.db.query("select from message_words where account_id = $1", [account.id]);
      expect(words).toHaveLength(MESSAGES);
    });

    test("are deleted later if that fails now: the channel is deleted anyway", async () => {
      const dropTrigger = await addTrigger(node.db, "before update on forgotten_channels", {
        run: "raise exception 'could not write' using errcode = 'XX000'",
      });
      onTestFinished(dropTrigger);
      expect((await remove()).status).toBe(200);
      expect(await left()).toEqual({ goes: ALL, stays: ALL, unfinished: 1 });
    });

    test("are deleted after the response if that takes too long", async () => {
      const clock = vi.spyOn(node.core.clock, "monotonicMs");
      let jumps = 0;
      clock.mockImplementation(() => performance.now() + 5_000 * jumps++);
      expect((await remove()).status).toBe(200);
      clock.mockRestore();
      expect(await left()).toEqual({ goes: ALL, stays: ALL, unfinished: 1 });
      const sweeper = sweeperOf(node);
      sweeper.start();
      await expect.poll(left).toEqual({ goes: 0, stays: ALL, unfinished: 0 });
      await sweeper.stop();
    });
  });
});
