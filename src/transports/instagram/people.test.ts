import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTestLink } from "../../core/transport/conformance.ts";
import { type ApiReply, type FakeApi, startFakeApi } from "../kit/testing.ts";
import { fetchPost } from "./inbound/posts.ts";
import { identify } from "./people.ts";
import { ANN, CREDENTIALS, type InstagramTestLink, settingsFor } from "./testing.ts";

const SOME_MINUTES_MS = 6 * 60_000;
const BOB = "1000000000000222";
const POST = "17890000000000001";
const refuse = (code: number): ApiReply => ({ status: 400, body: { error: { code, message: "No" } } });

let api: FakeApi;
let link: InstagramTestLink;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  api = await startFakeApi({ callOf: ({ path }) => path.split("/").at(-1) ?? "" });
  link = createTestLink({ credentials: CREDENTIALS, settings: settingsFor(api.url) });
});
afterEach(async () => {
  vi.useRealTimers();
  await link.dispose();
  expect(await api.finish()).toEqual([]);
});

/** As for a notification whose events are stored. */
async function meet(igsid: string) {
  const person = await identify(link, igsid);
  await person.prepare();
  await person.remember();
  return person.chatId;
}
const asked = () => api.requests.map(({ call }) => call);

describe("a profile is requested again only after some minutes", () => {
  it.each<[string, ApiReply]>([
    ["refused", refuse(100)],
    ["unavailable", { status: 500, body: "{}" }],
    ["without a username", { body: { id: ANN, name: "Ann" } }],
  ])("%s", async (_, reply) => {
    api.always(ANN, reply);
    for (let messages = 0; messages < 5; messages++) expect(await meet(ANN)).toBe(ANN);
    expect(asked()).toEqual([ANN]);
    vi.advanceTimersByTime(SOME_MINUTES_MS);
    api.always(ANN, { body: { id: ANN, username: "ann" } });
    for (let messages = 0; messages < 5; messages++) expect(await meet(ANN)).toBe("ann");
    expect(asked()).toEqual([ANN, ANN]);
  });

  it("nobody's, while Instagram is rate limiting the account", async () => {
    api.always(ANN, refuse(4));
    expect([await meet(ANN), await meet(BOB), await meet(ANN)]).toEqual([ANN, BOB, ANN]);
    expect(asked()).toEqual([ANN]);
  });

  it("others are not affected", async () => {
    api.always(ANN, refuse(100));
    api.always(BOB, { body: { id: BOB, username: "bob" } });
    expect([await meet(ANN), await meet(BOB)]).toEqual([ANN, "bob"]);
  });
});

describe("a post is requested once in some minutes, however many comments it gets", () => {
  it.each<[string, ApiReply, string]>([
    ["found", { body: { id: POST, caption: "New!" } }, "New!"],
    ["refused", refuse(4), ""],
  ])("%s", async (_, reply, description) => {
    api.always(POST, reply);
    const comments = await Promise.all([1, 2, 3].map(() => fetchPost(link, POST)));
    expect(comments).toMatchObject([{ description }, { description }, { description }]);
    vi.advanceTimersByTime(SOME_MINUTES_MS);
    await fetchPost(link, POST);
    await fetchPost(link, POST);
    expect(asked()).toEqual([POST, POST]);
  });
});
