import { expect, test } from "vitest";
import { ann, bob, refusal, until, withTgapi } from "./test-kit.ts";

test("an unmodified client logs in by QR, writes, reads, edits, deletes", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg, texts } = await login(ann);
    const sent = await tg.sendText("bob_demo", "Hello, Bob");
    expect(await admin(`GET /people/${bob}/inbox?count=1`)).toMatchObject({
      items: [{ text: "Hello, Bob", from: ann, kind: "text" }],
    });
    await admin(`POST /people/${bob}/messages`, { to: ann, text: "Hello, Ann" });
    await until("message", () => texts.find((each) => each === "Hello, Ann"));
    await tg.editMessage({ chatId: "bob_demo", message: sent.id, text: "Hello, Robert" });
    expect(await admin(`GET /people/${bob}/inbox?action=edit&count=1`)).toMatchObject({
      items: [{ text: "Hello, Robert" }],
    });
    await tg.deleteMessagesById("bob_demo", [sent.id], { revoke: true });
    expect(await admin(`GET /people/${bob}/inbox?action=delete&count=1`)).toMatchObject({ complete: true });
    expect(await refusal(tg.sendText("nobody_here", "x"))).toContain("nobody_here");
    expect((await admin("GET /calls?unknown=true"))["items"]).toEqual([]);
  });
});

test("a client that was offline fetches 5,000 messages in order, in slices", async () => {
  await withTgapi(async ({ admin, login, open }) => {
    const first = await login(ann);
    await admin(`POST /people/${bob}/messages`, { to: ann, text: "before" });
    await until("message", () => first.texts.find((each) => each === "before"));
    await first.tg.destroy();
    await admin("POST /settings", { difference_slice: 500 });
    await admin("POST /time", { advance_seconds: 3600 });
    await admin(`POST /people/${bob}/messages`, { to: ann, text: "away", count: 5000 });
    const again = open({ storage: first.storage });
    await again.tg.connect();
    await again.tg.startUpdatesLoop();
    await until("last message", () => again.texts.find((each) => each === "away 5000"));
    expect(again.texts).toEqual(Array.from({ length: 5000 }, (_, index) => `away ${index + 1}`));
    expect(await admin("GET /calls?method=updates.getDifference&count=10")).toMatchObject({ complete: true });
  });
});
