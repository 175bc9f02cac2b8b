import { expect, it } from "vitest";
import { GroupRefused } from "../../../core/transport/errors.ts";
import { Refusal, UploadRefusal } from "../errors.ts";
import { toGroupError } from "./refusals.ts";

it.each([
  [927, "Chat does not exist", "not_found"],
  [917, "You don't have access to this chat", "not_a_member"],
  [925, "You are not admin of this chat", "not_an_admin"],
  [936, "Contact not found", "unknown_person"],
  [103, "Out of limits", "too_many_groups"],
  [129, "Invalid photo", "bad_picture"],
  [100, "One of the parameters specified was missing or invalid: title is too long", "bad_name"],
  [100, "One of the parameters specified was missing or invalid: chat_id is undefined", "not_found"],
] as const)("reads a refusal of the chat: %i %s", (code, text, reason) => {
  const error = toGroupError(new Refusal(code, text));
  expect(error).toBeInstanceOf(GroupRefused);
  expect(error).toMatchObject({ reason, data: `${code}: ${text}` });
});

it("reads the upload server's refusal of a picture", () => {
  expect(toGroupError(new UploadRefusal("too small"))).toMatchObject({
    reason: "bad_picture",
    data: "too small",
  });
});

it.each([5, 6, 9, 10, 14, 15, 29])("leaves what concerns the key or its rate: %i", (code) => {
  const refusal = new Refusal(code, "x");
  expect(toGroupError(refusal)).toBe(refusal);
});
