import { describe, expect, onTestFinished, test } from "vitest";
import { startFakeApi } from "../kit/testing.ts";
import { openSession } from "./session.ts";
import { BOT_ID, FAST, fileMessage, linkTo } from "./testing.ts";

const never = new AbortController().signal;

/** Sends a file whose upload host responds with this status. Returns the error and the states of the channel. */
async function sendRejected(status: number) {
  const api = await startFakeApi();
  api.always("GET /me", { body: { user_id: Number(BOT_ID), first_name: "Shop bot", is_bot: true } });
  api.always("GET /subscriptions", { body: { subscriptions: [] } });
  api.always("GET /updates", null);
  api.always("POST /uploads", { body: { url: `${api.url}/upload` } });
  api.always("POST /upload", { status, body: { error_code: "4" } });
  const link = linkTo(api.url);
  const session = await openSession(link, FAST);
  onTestFinished(async () => {
    await session.close();
    await link.dispose();
    expect(await api.finish()).toEqual([]);
  });
  await link.waitFor((event) => event.kind === "link");
  const error: unknown = await session.send(fileMessage(), never).catch((failure: unknown) => failure);
  const states = link.events.flatMap((event) => (event.kind === "link" ? [event.state.status] : []));
  return { error, states };
}

describe("a failed upload", () => {
  test.each([401, 403, 404, 429, 500])(
    "with HTTP %i is repeated and does not affect the channel",
    async (status) => {
      const { error, states } = await sendRejected(status);
      expect(error).toMatchObject({ code: "UNKNOWN_ERROR", retry: "later", data: `HTTP ${status}` });
      expect(states).toEqual(["active"]);
    },
  );

  test.each([
    [400, "CONTENT_CONVERSION_ERROR"],
    [413, "TOO_BIG_CONTENT"],
    [415, "CONTENT_CONVERSION_ERROR"],
    [422, "CONTENT_CONVERSION_ERROR"],
  ])("with HTTP %i, by which the host rejects the file, is final", async (status, code) => {
    expect((await sendRejected(status)).error).toMatchObject({ code, retry: "never" });
  });
});
