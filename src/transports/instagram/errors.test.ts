import { describe, expect, it } from "vitest";
import { GraphRefusal } from "../meta/error.ts";
import { isTokenDead, toTransportError } from "./errors.ts";

const refusal = (code: number, subcode?: number, message = "No", status = 400): GraphRefusal =>
  new GraphRefusal(status, { code, message, details: "", ...(subcode !== undefined && { subcode }) });

describe("toTransportError", () => {
  it.each([
    [10, 2534022, "This message is sent outside of allowed window.", "7_DAYS_EXCEEDED"],
    [10, undefined, "(#10) This message is sent outside of allowed window", "7_DAYS_EXCEEDED"],
    [10, undefined, "(#10) Application does not have permission", "GENERAL_ERROR"],
    [100, 2534014, "The requested user cannot be found.", "CHATID_IGSID_MISMATCH"],
    [100, 2018001, "No matching user found", "CHATID_IGSID_MISMATCH"],
    [551, 1545041, "This person isn't available right now.", "CHATID_IGSID_MISMATCH"],
    [100, 2534001, "The thread has been deleted", "BAD_CONTACT"],
    [100, 2534025, "Already replied", "COMMENT_ALREADY_PRIVATE_REPLIED"],
    [100, 2534013, "Invalid", "COMMENT_INVALID_FOR_PRIVATE_REPLY"],
    [100, 33, "Unsupported post request", "COMMENT_DELETED"],
    [
      100,
      2018276,
      "(#100) Length of param message[text] must be less than or equal to 1000",
      "TOO_LONG_TEXT",
    ],
    [100, undefined, "(#100) The comment is longer than 300 characters.", "TOO_LONG_TEXT"],
    [100, undefined, "(#100) The comment has more than 1 link.", "BAD_LINK"],
    [368, 1404006, "Blocked", "BAD_LINK"],
    [100, undefined, "This user cannot be mentioned", "MENTION_FORBIDDEN"],
    [100, 2018007, "Attachment size exceeds allowable limit", "TOO_BIG_CONTENT"],
    [100, 2018008, "Failed to fetch the file from the url", "CONTENT_CONVERSION_ERROR"],
    [100, 2018047, "Upload attachment failure", "WRONG_CONTENT"],
    [368, undefined, "Temporarily blocked", "SPAM"],
    [100, undefined, "Something new", "GENERAL_ERROR"],
  ])("%s/%s %s → %s", (code, subcode, message, expected) => {
    expect(toTransportError(refusal(code, subcode, message))).toMatchObject({
      code: expected,
      retry: "never",
    });
  });

  it.each([
    [368, undefined, "Temporarily blocked", "spam"],
    [368, 1404006, "Blocked", undefined],
    [100, undefined, "looks like spam", undefined],
  ])("%i/%s %s restricts the account: %s", (code, subcode, message, kind) =>
    expect(toTransportError(refusal(code, subcode, message)).restriction?.kind).toBe(kind),
  );

  it.each([4, 17, 32, 613, 80002])("code %i is throttling", (code) => {
    expect(toTransportError(refusal(code))).toMatchObject({
      code: "TOO_MANY_EXT_REQS",
      retry: { afterMs: 30_000, scope: "channel" },
    });
  });

  it("a 429 is throttling, and a failure of Meta's is temporary", () => {
    expect(toTransportError(refusal(100, undefined, "No", 429)).retry).toMatchObject({ scope: "channel" });
    expect(toTransportError(refusal(2))).toMatchObject({ code: "UNKNOWN_ERROR", retry: "later" });
  });

  it("only a dead token counts as ending the link", () => {
    expect([190, 102].map((code) => isTokenDead({ code, message: "", details: "" }))).toEqual([true, true]);
    expect(isTokenDead({ code: 10, message: "", details: "" })).toBe(false);
  });
});
