import { expect, it } from "vitest";
import { GroupRefused, TransportError } from "../../../core/transport/errors.ts";
import { NoResponse, Refusal } from "../errors.ts";
import { toGroupError } from "./refusals.ts";

it.each([
  ["not.found", "chat not found", "not_found"],
  ["chat.denied", "not a participant", "not_a_member"],
  ["chat.denied", "only for administrators", "not_an_admin"],
  ["permission.denied", "", "not_an_admin"],
  ["chat.participants.limit", "", "too_many_people"],
  ["chat.title.invalid", "", "bad_name"],
  ["not.found", "photo not found", "bad_picture"],
  ["something.new", "", "refused"],
] as const)("reads a refusal: %s, %s", (key, words, reason) => {
  const error = toGroupError(new Refusal(key, words));
  expect(error).toBeInstanceOf(GroupRefused);
  expect(error).toMatchObject({ reason, data: `${key}: ${words}` });
});

it.each([
  [new Refusal("too.many.requests", ""), "TOO_MANY_EXT_REQS", { scope: "channel" }],
  [new Refusal("error.user.restricted", ""), "SPAM", "never"],
  [new Refusal("login.token", "FAIL_LOGIN_TOKEN"), "CHANNEL_REJECTED", "never"],
  [new Refusal("internal", "error"), "UNKNOWN_ERROR", "unknown"],
  [new NoResponse("lost", { sent: true }), "UNKNOWN_ERROR", "unknown"],
  [new NoResponse("lost", { sent: false }), "UNKNOWN_ERROR", "later"],
])("leaves what concerns the account to the errors of messages: %s", (given, code, retry) => {
  const error = toGroupError(given);
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ code, retry });
});
