import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CredentialsError, TransportError } from "../../core/transport/errors.ts";
import type { ApiReply } from "../kit/testing.ts";
import telegram from "./index.ts";
import {
  BOT,
  type FakeBotApi,
  linkTo,
  ok,
  PROFILE,
  refuse,
  startFakeBotApi,
  type TelegramTestLink,
} from "./testing.ts";

let api: FakeBotApi;
let link: TelegramTestLink;

beforeEach(async () => {
  api = await startFakeBotApi();
  link = linkTo(`${api.url}/`);
});
afterEach(async () => {
  await link.dispose();
  expect(await api.finish()).toEqual([]);
});

async function verify(reply: ApiReply): Promise<unknown> {
  api.on("getMe", reply);
  return telegram.connector.verify?.(link, new AbortController().signal);
}

describe("verify", () => {
  it("returns the bot's profile", async () => {
    expect(await verify(ok({ ...BOT, id: 9007199254740991 }))).toEqual({
      profile: { ...PROFILE, messengerId: "9007199254740991" },
    });
  });

  it.each([
    [401, "Unauthorized"],
    [401, "Unauthorized: invalid token specified"],
    [404, "Not Found"],
  ])("rejects the token after %i %s", async (status, words) => {
    await expect(verify(refuse(status, words))).rejects.toThrow(CredentialsError);
  });

  const undecided: readonly (readonly [string, ApiReply, unknown])[] = [
    ["500", refuse(500, "Internal Server Error"), "later"],
    ["garbage", { body: "<html>" }, "later"],
    ["no user", ok(null), "later"],
    ["a flood", refuse(429, "Too Many Requests", { retry_after: 3 }), { afterMs: 3_000, scope: "channel" }],
  ];
  it.each(undecided)("the outcome is unknown after %s", async (_, reply, retry) => {
    const error: unknown = await verify(reply).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ retry });
  });
});
