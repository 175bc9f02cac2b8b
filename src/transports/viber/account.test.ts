import { expect, it } from "vitest";
import { ownProfile } from "./account.ts";

const BOT = { id: "pa:75346594275468546724", name: "Shop", webhook: "", events: undefined };

it.each<[string, string | undefined, object]>([
  [
    "with a URI, shown as its username and its phone",
    "shop",
    { username: "shop", phone: "shop", url: "viber://pa?chatURI=shop" },
  ],
  ["without a URI", undefined, {}],
])("the profile of a bot %s", (_, uri, names) => {
  expect(ownProfile({ ...BOT, uri })).toEqual({ messengerId: BOT.id, name: "Shop", ...names });
});
