import { expect, it } from "vitest";
import { GroupRefused, TransportError } from "../../../core/transport/errors.ts";
import { personalResult, toGroupError } from "./refusals.ts";

it.each([
  [400, "PEER_ID_INVALID", "not_found"],
  [400, "CHAT_ID_INVALID", "not_found"],
  [406, "CHANNEL_PRIVATE", "not_a_member"],
  [400, "CHAT_ADMIN_REQUIRED", "not_an_admin"],
  [403, "CHAT_WRITE_FORBIDDEN", "not_an_admin"],
  [403, "RIGHT_FORBIDDEN", "not_an_admin"],
  [400, "USER_ID_INVALID", "unknown_person"],
  [400, "USERS_TOO_FEW", "nobody_added"],
  [400, "USERS_TOO_MUCH", "too_many_people"],
  [400, "CHANNELS_TOO_MUCH", "too_many_groups"],
  [400, "CHAT_TITLE_EMPTY", "bad_name"],
  [400, "PHOTO_CROP_SIZE_SMALL", "bad_picture"],
  [400, "IMAGE_PROCESS_FAILED", "bad_picture"],
  [400, "A_NEW_REFUSAL", "refused"],
] as const)("reads a refusal of the whole call: %i %s", (code, text, reason) => {
  const error = toGroupError({ code, text });
  expect(error).toBeInstanceOf(GroupRefused);
  expect(error).toMatchObject({ reason, data: `${code} ${text}` });
});

it.each([
  [420, "FLOOD_WAIT_12", "TOO_MANY_EXT_REQS", { afterMs: 12_000, scope: "channel" }],
  [400, "PEER_FLOOD", "SPAM", "never"],
  [400, "USER_RESTRICTED", "SPAM", "never"],
  [500, "INTERNAL", "UNKNOWN_ERROR", "unknown"],
  [401, "AUTH_KEY_UNREGISTERED", "CHANNEL_REJECTED", "never"],
])("leaves what concerns the account to the errors of messages: %i %s", (code, text, expected, retry) => {
  const error = toGroupError({ code, text });
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ code: expected, retry });
});

it("does not know the outcome of a call without a response", () => {
  expect(toGroupError(new Error("aborted"))).toMatchObject({ code: "UNKNOWN_ERROR", retry: "unknown" });
});

it.each([
  ["USER_PRIVACY_RESTRICTED", "invitation_needed"],
  ["USER_NOT_MUTUAL_CONTACT", "left_recently"],
  ["USER_ALREADY_PARTICIPANT", "already"],
  ["USER_NOT_PARTICIPANT", "not_a_member"],
  ["INPUT_USER_DEACTIVATED", "unknown"],
  ["USER_CHANNELS_TOO_MUCH", "full"],
  ["USER_CREATOR", "protected"],
  ["USER_KICKED", "refused"],
  ["BOT_GROUPS_BLOCKED", "refused"],
  ["CHAT_ADMIN_REQUIRED", undefined],
])("reads a refusal of one person: %s", (text, result) => {
  expect(personalResult({ code: 400, text })).toBe(result);
});
