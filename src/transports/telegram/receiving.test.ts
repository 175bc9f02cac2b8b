import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TransportEvent } from "../../core/transport/events.ts";
import { openSession } from "./session.ts";
import {
  BOT,
  FAST,
  type FakeBotApi,
  linkTo,
  ok,
  PROFILE,
  refuse,
  sample,
  startFakeBotApi,
  type TelegramTestLink,
} from "./testing.ts";

const ME = ok(BOT);
const ACTIVE = { kind: "link", state: { status: "active", profile: PROFILE } };

let api: FakeBotApi;
let link: TelegramTestLink;
let session: Awaited<ReturnType<typeof openSession>>;

beforeEach(async () => {
  api = await startFakeBotApi();
  link = linkTo(api.url);
});

afterEach(async () => {
  await session.close();
  await link.dispose();
  expect(await api.finish()).toEqual([]);
});

async function start(): Promise<void> {
  session = await openSession(link, FAST);
}

/** The link states in the order in which they were reported to core. */
function states(): string[] {
  return link.events.flatMap((event) => (event.kind === "link" ? [event.state.status] : []));
}

const isMessage = (event: TransportEvent): boolean => event.kind === "message";
const isState = (status: string) => (event: TransportEvent) =>
  event.kind === "link" && event.state.status === status;

function layOutTakeover(): void {
  api.on("getMe", ME);
  api.on("deleteWebhook", ok(true));
}

describe("polling", () => {
  it("deletes the webhook, then acknowledges what is stored", async () => {
    layOutTakeover();
    api.on("getUpdates", ok([sample("text"), sample("photo")]), ok([]));
    await start();
    await api.request("getUpdates", 3);
    const polls = api.requests.filter(({ method }) => method === "getUpdates");
    const usual = {
      limit: 100,
      timeout: 50,
      allowed_updates: [
        "message",
        "edited_message",
        "callback_query",
        "message_reaction",
        "my_chat_member",
        "chat_member",
      ],
    };
    const next = { ...usual, offset: sample("photo").update_id + 1 };
    expect(polls.map(({ params }) => params)).toEqual([usual, next, next]);
    expect(link.events).toEqual([
      ACTIVE,
      expect.objectContaining({ kind: "message" }),
      expect.objectContaining({ kind: "message" }),
    ]);
  });

  it("pauses if a proxy returns the same batch again", async () => {
    layOutTakeover();
    const batch = ok([sample("press")]);
    api.on("getUpdates", batch, batch);
    api.on("answerCallbackQuery", ok(true), ok(true));
    session = await openSession(link, { ...FAST, firstPauseMs: 50 });
    await api.request("getUpdates", 2);
    const at = performance.now();
    await api.request("getUpdates", 3);
    expect(performance.now() - at).toBeGreaterThan(40);
    await api.request("answerCallbackQuery", 2);
  });

  it("fetches a batch again if one of its events was not stored", async () => {
    layOutTakeover();
    const batch = ok([sample("text"), sample("photo")]);
    api.on("getUpdates", batch, batch);
    let failures = 1;
    link.onEmit(async ({ kind }) => {
      if (kind === "message" && failures-- > 0) throw new Error("database is away");
    });
    await start();
    await api.request("getUpdates", 3);
    const offsets = api.requests
      .filter(({ method }) => method === "getUpdates")
      .map(({ params }) => params["offset"]);
    expect(offsets).toEqual([undefined, undefined, sample("photo").update_id + 1]);
    expect(link.events.filter(isMessage)).toHaveLength(3);
    expect(states()).toEqual(["active"]);
  });

  it("emits a batch in order, without waiting for each", async () => {
    layOutTakeover();
    api.on("getUpdates", ok(["text", "photo", "voice"].map(sample)));
    const stored = Promise.withResolvers<void>();
    let emitted = 0;
    link.onEmit(async (event) => {
      if (!isMessage(event)) return;
      emitted += 1;
      if (emitted === 3) stored.resolve();
      await stored.promise;
    });
    await start();
    await api.request("getUpdates", 2);
    const ids = link.events.flatMap((event) => (event.kind === "message" ? [event.message.body.type] : []));
    expect(ids).toEqual(["text", "media", "media"]);
  });

  it("stores a dead letter and continues", async () => {
    layOutTakeover();
    const broken = { update_id: 700001, message: { message_id: 1, date: 1 } };
    api.on("getUpdates", ok([broken, null, sample("photo")]));
    await start();
    await link.waitFor(isMessage);
    expect(link.deadLetters.map(({ payload }) => payload)).toEqual([broken, null]);
  });

  it("answers a button press once it is stored", async () => {
    layOutTakeover();
    api.on("getUpdates", ok([sample("press"), sample("press-inline")]));
    api.on("answerCallbackQuery", ok(true), refuse(400, "Bad Request: query is too old"));
    await start();
    expect(await link.waitFor(isMessage)).toMatchObject({
      message: { pressed: { text: "B", payload: "b1" } },
    });
    const ids = [await api.request("answerCallbackQuery", 1), await api.request("answerCallbackQuery", 2)];
    expect(ids.map(({ params }) => params["callback_query_id"]).toSorted()).toEqual([
      "4382bfdwdsb323b2d9",
      "79",
    ]);
    expect(await link.waitForLog(({ level }) => level === "debug")).toBeDefined();
  });

  it("logs that a person blocked the bot", async () => {
    layOutTakeover();
    api.on("getUpdates", ok([sample("blocked")]));
    await start();
    const line = await link.waitForLog(({ level }) => level === "info");
    expect(line.details).toEqual({ chatId: "111", status: "kicked" });
  });

  it("reports once that the connection is lost, and when it is restored", async () => {
    layOutTakeover();
    const broken = refuse(502, "Bad Gateway");
    api.on("getUpdates", broken, broken, { body: "<html>" }, ok(null), ok([]));
    await start();
    await api.request("getUpdates", 6);
    expect(states()).toEqual(["active", "lost", "active"]);
    // A request that is held would report the way back only when it ends.
    const held = api.requests
      .filter(({ method }) => method === "getUpdates")
      .map(({ params }) => params["timeout"]);
    expect(held.slice(0, 6)).toEqual([50, 0, 0, 0, 0, 50]);
  });

  it("starts while Telegram is unavailable", async () => {
    api.on("getMe", refuse(500, "Internal Server Error"), ME);
    api.on("deleteWebhook", ok(true));
    await start();
    await link.waitFor(isState("active"));
    expect(states()).toEqual(["lost", "active"]);
  });

  it("waits as long as Telegram asks, without reporting a lost connection", async () => {
    layOutTakeover();
    api.on("getUpdates", refuse(429, "Too Many Requests: retry after 0.01", { retry_after: 0.01 }), ok([]));
    await start();
    await api.request("getUpdates", 3);
    expect(states()).toEqual(["active"]);
  });

  it.each([
    [401, "Unauthorized"],
    [404, "Not Found"],
  ])("stops when the token is revoked: %i", async (status, words) => {
    api.on("getMe", refuse(status, words));
    await start();
    const event = await link.waitFor(isState("disabled"));
    expect(event).toEqual({
      kind: "link",
      state: { status: "disabled", reason: "unauthorized", detail: expect.stringContaining(words) },
    });
    await session.close();
    expect(api.requests).toHaveLength(1);
  });

  it("reports the revoked token until that is stored", async () => {
    api.on("getMe", refuse(401, "Unauthorized"), refuse(401, "Unauthorized"));
    let failures = 1;
    link.onEmit(async () => {
      if (failures-- > 0) throw new Error("database is away");
    });
    await start();
    await link.waitFor(isState("disabled"));
  });

  it("deletes a webhook that another program set", async () => {
    layOutTakeover();
    layOutTakeover();
    const words =
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
    api.on("getUpdates", refuse(409, words), ok([sample("text")]));
    await start();
    await link.waitFor(isMessage);
    expect(states()).toEqual(["active"]);
    expect(link.logs).toMatchObject([{ level: "warn", details: { detail: expect.stringContaining(words) } }]);
  });

  it("waits when another program polls the same bot", async () => {
    layOutTakeover();
    const words =
      "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
    api.on("getUpdates", refuse(409, words), refuse(409, words), ok([sample("text")]));
    await start();
    await link.waitFor(isMessage);
    expect(states()).toEqual(["active"]);
  });

  it("stops at once when the node loses the channel", async () => {
    layOutTakeover();
    await start();
    await api.request("getUpdates");
    link.abort();
    await session.close();
    expect(states()).toEqual(["active"]);
    expect(link.logs).toEqual([]);
  });
});
