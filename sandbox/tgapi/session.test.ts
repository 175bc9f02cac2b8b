import Long from "long";
import { expect, test } from "vitest";
import { startRepeatingProxy } from "./proxy-test-kit.ts";
import { ann, bob, refusal, until, withTgapi } from "./test-kit.ts";

test("a kept session gets missed updates; a forgotten one has to fetch the difference", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg, texts, updates } = await login(ann);
    const write = (text: string) => admin(`POST /people/${bob}/messages`, { to: ann, text });
    await write("first");
    await until("first message", () => texts[0]);
    await admin("POST /drops");
    await write("while the line was down");
    await until("repeated update", () => texts[1]);
    const before = (await admin("GET /calls?method=updates.getDifference"))["count"];
    expect(before).toBe(2);
    await admin(`POST /people/${ann}/sessions/any/forgets`);
    await write("while nobody remembered");
    await until("reconnection", async () =>
      Number((await admin("GET /events?event=session_created"))["count"]) > 1 ? true : undefined,
    );
    // Without a gap in the sequence numbers the client would not request updates.
    await tg.call({ _: "help.getNearestDc" });
    await write("afterwards");
    await until("fetched message", () => texts[3]);
    expect(texts).toEqual(["first", "while the line was down", "while nobody remembered", "afterwards"]);
    expect(updates).not.toContain("updatesTooLong");
  });
});

test("too many updates for a session without a connection become one that requests to fetch them", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { texts } = await login(ann);
    await admin("POST /settings", { queued_updates: 5 });
    await admin("POST /drops");
    await admin(`POST /people/${bob}/messages`, { to: ann, text: "away", count: 30 });
    await until("last message", () => texts.find((each) => each === "away 30"));
    expect(texts).toHaveLength(30);
    expect((await admin("GET /calls?method=updates.getDifference&count=3"))["complete"]).toBe(true);
  });
});

test("a changed clock and new salts are reported, and the client continues", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg } = await login(ann);
    for (const seconds of [1000, -2000]) {
      await admin("POST /time", { advance_seconds: seconds });
      await tg.sendText("bob_demo", `after ${seconds}`);
    }
    await admin(`POST /people/${ann}/sessions/any/salts`);
    await tg.sendText("bob_demo", "after new salts");
    const told = (await admin("GET /events"))["items"] as unknown as { event: string; detail: string }[];
    const faults = told.filter(({ event }) => event === "bad_message").map(({ detail }) => detail);
    expect(faults).toContain("16");
    expect(faults).toContain("17");
    expect(told.some(({ event }) => event === "bad_salt")).toBe(true);
    expect((await admin(`GET /people/${bob}/inbox`))["count"]).toBe(3);
  });
});

test("a connection cut before the response leads to one message, whether the session is kept or not", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg } = await login(ann);
    const peer = await tg.resolvePeer("bob_demo");
    const send = (message: string) => {
      const randomId = Long.fromNumber(message.length);
      return refusal(tg.call({ _: "messages.sendMessage", peer, message, randomId }, { maxRetryCount: 0 }));
    };
    const cut = (kind: string, forget = false) =>
      admin("POST /faults", { kind, method: "messages.sendMessage", forget });
    await cut("drop");
    expect(await send("kept")).toBe("no error");
    await cut("drop", true);
    expect(await send("forgotten")).toBe("500 RANDOM_ID_DUPLICATE");
    await cut("drop_before");
    expect(await send("never came")).toBe("no error");
    const inbox = await admin(`GET /people/${bob}/inbox?count=3`);
    expect(inbox).toMatchObject({
      count: 3,
      items: [{ text: "kept" }, { text: "forgotten" }, { text: "never came" }],
    });
  });
});

test("a duplicate packet is executed once", async () => {
  await withTgapi(async ({ admin, tgapi, login }) => {
    const [main] = tgapi.dataCentres;
    const proxy = await startRepeatingProxy(main?.port ?? 0);
    try {
      const { port } = proxy;
      const dc = { id: 2, ipAddress: "127.0.0.1", port };
      const { tg } = await login(ann, { defaultDcs: { main: dc, media: { ...dc, mediaOnly: true } } });
      proxy.repeat = true;
      await tg.sendText("bob_demo", "once");
      expect((await admin("GET /events?event=repeated&count=1"))["complete"]).toBe(true);
      expect(await admin(`GET /people/${bob}/inbox?count=1`)).toMatchObject({ count: 1 });
    } finally {
      proxy.close();
    }
  });
});

test("a frozen connection is silent until it resumes", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg, texts } = await login(ann);
    await admin(`POST /people/${ann}/sessions/any/freezes`);
    await admin(`POST /people/${bob}/messages`, { to: ann, text: "held" });
    const asked = tg.call({ _: "help.getNearestDc" });
    expect(texts).toEqual([]);
    await admin(`POST /people/${ann}/sessions/any/thaws`);
    expect((await asked).thisDc).toBe(2);
    await until("held message", () => texts[0]);
  });
});

test("configured refusals, refusals for unknown people, and of unknown methods", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg } = await login(ann);
    await admin("POST /people", { phone: "79990000009", username: "stranger" });
    await tg.sendText("bob_demo", "known");
    const send = async (username: string, message: string, id = Math.floor(Math.random() * 2 ** 50)) =>
      refusal(
        tg.call(
          {
            _: "messages.sendMessage",
            peer: await tg.resolvePeer(username),
            message,
            randomId: Long.fromNumber(id),
          },
          // The client would repeat a call that ends in a 500 forever.
          { maxRetryCount: 0 },
        ),
      );
    expect(await send("bob_demo", "a", 7)).toBe("no error");
    expect(await send("bob_demo", "a", 7)).toBe("500 RANDOM_ID_DUPLICATE");
    expect(await send("bob_demo", " ")).toBe("400 MESSAGE_EMPTY");
    expect(await send("bob_demo", "x".repeat(4097))).toBe("400 MESSAGE_TOO_LONG");
    await admin(`POST /people/${ann}/restrictions`, { seconds: 60 });
    expect(await send("stranger", "hello")).toBe("400 PEER_FLOOD");
    expect(await send("bob_demo", "still a friend")).toBe("no error");
    await admin("POST /faults", { method: "messages.sendMessage", to: bob, error: "SLOWMODE_WAIT_30" });
    expect(await send("bob_demo", "slow")).toBe("420 SLOWMODE_WAIT_%d");
    const peer = { _: "inputPeerUser", userId: 500_000_002, accessHash: Long.ONE } as const;
    const forged = { _: "messages.sendMessage", peer, message: "x", randomId: Long.fromNumber(8) } as const;
    expect(await refusal(tg.call(forged))).toBe("400 PEER_ID_INVALID");
    const themes = tg.call({ _: "account.getThemes", format: "x", hash: Long.ZERO });
    expect(await refusal(themes)).toBe("400 METHOD_NOT_EMULATED");
    // Raw bytes: a method that no schema has, and one whose peer is truncated.
    const raw = (hex: string) =>
      refusal(tg.call({ _: "mtcute.customMethod", bytes: Buffer.from(hex, "hex") }));
    expect(await raw("04030201")).toBe("400 INPUT_METHOD_INVALID_16909060");
    expect(await raw("8ea88f0d15c4b51c01000000")).toContain("400 INPUT_");
    expect((await admin("GET /calls?unknown=true"))["items"]).toMatchObject([
      { method: "account.getThemes" },
    ]);
  });
});
