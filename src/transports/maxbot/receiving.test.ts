import { expect, onTestFinished, test } from "vitest";
import { startFakeApi } from "../kit/testing.ts";
import { openSession } from "./session.ts";
import { BOT_ID, FAST, linkTo, sample } from "./testing.ts";

/** Polls with the marker 7 while MAX returns these batches; returns the time between the second and the third request. */
async function pauseBetween(...markers: readonly unknown[]): Promise<number> {
  const api = await startFakeApi();
  api.always("GET /me", { body: { user_id: Number(BOT_ID), first_name: "Shop" } });
  api.always("GET /subscriptions", { body: { subscriptions: [] } });
  api.always("GET /updates", null);
  api.on("GET /updates", ...markers.map((marker) => ({ body: { updates: [sample("text")], marker } })));
  const link = linkTo(api.url);
  await link.state.set("marker", "7");
  const session = await openSession(link, { ...FAST, firstPauseMs: 50 });
  onTestFinished(async () => {
    await session.close();
    await link.dispose();
    expect(await api.finish()).toEqual([]);
  });
  await api.request("GET /updates", 2);
  const at = performance.now();
  await api.request("GET /updates", 3);
  return performance.now() - at;
}

test.each([
  ["null", null],
  ["a string", "8"],
  ["too large", 1e300],
  ["the same as before", 7],
])("polling pauses if the marker is %s", async (_, marker) => {
  expect(await pauseBetween(marker, marker)).toBeGreaterThan(40);
});
