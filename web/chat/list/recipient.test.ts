import { expect, test } from "vitest";
import type { Channel } from "../model.ts";
import { recipientOf } from "./recipient.ts";

const channel: Channel = {
  channel_id: "c",
  transport: "telegram",
  name: "Shop",
  phone: "",
  username: "",
  status: "active",
  reason: null,
  restrictions: [],
  can_send: true,
  new_chat: { chat_type: "telegram", address_by: ["phone", "username"] },
};
const base = { channel_id: "c", chat_type: "telegram" };

test.each([
  ["phone", "+7 (900) 123-45-67", { ...base, phone: "79001234567" }],
  ["phone", "0049 30 1234", { ...base, phone: "49301234" }],
  ["phone", "1234", null],
  ["phone", "ann", null],
  ["username", " @ann ", { ...base, username: "ann" }],
  ["username", "ann karpova", null],
  ["username", "", null],
] as const)("%s %j", (way, typed, recipient) =>
  expect(recipientOf(channel, way, typed, "")).toEqual(recipient),
);

test("a name is included; a channel that cannot write first has no recipients", () => {
  expect(recipientOf(channel, "phone", "79001234567", " Ann ")).toMatchObject({ name: "Ann" });
  expect(recipientOf({ ...channel, new_chat: null }, "phone", "79001234567", "")).toBeNull();
});
