import { afterEach, beforeEach, expect, it } from "vitest";
import { type FakeApi, startFakeApi } from "../kit/testing.ts";
import maxbot from "./index.ts";
import { BOT_ID, linkTo, type MaxbotTestLink } from "./testing.ts";

let api: FakeApi;
let link: MaxbotTestLink;

beforeEach(async () => {
  api = await startFakeApi();
  link = linkTo(api.url);
});
afterEach(async () => {
  await link.dispose();
  expect(await api.finish()).toEqual([]);
});

const ME = { user_id: Number(BOT_ID), first_name: "Shop bot", is_bot: true };

it.each<[string, object, object]>([
  [
    "with a username, shown as its phone too",
    { ...ME, username: "shop_bot" },
    { username: "shop_bot", phone: "shop_bot", url: "https://max.ru/shop_bot" },
  ],
  ["without a username", ME, {}],
])("returns the profile of a bot %s", async (_, me, names) => {
  api.on("GET /me", { body: me });
  expect(await maxbot.connector.verify?.(link, new AbortController().signal)).toEqual({
    profile: { messengerId: BOT_ID, name: "Shop bot", ...names },
  });
});
