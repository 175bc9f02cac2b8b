import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { postbox } from "../../../test/kit/transport.ts";
import { redactDetails, redactor } from "./redact.ts";

describe("redactor", () => {
  it.each([
    ["a secret", { token: "12:ab" }, "POST /bot12:ab/send", "POST /bot***/send"],
    ["each of its places", { token: "12:ab" }, "12:ab12:ab 12:ab", "****** ***"],
    ["its form in an address", { token: "12:ab" }, "?key=12%3Aab&x=1", "?key=***&x=1"],
    ["what is not secret", { token: "t0", page: "shop" }, "t0 shop", "*** shop"],
    ["several secrets", { token: "one", spare: "two" }, "two one", "*** ***"],
    ["a secret within a secret", { token: "key", spare: "key-2" }, "key-2 key", "*** ***"],
    ["characters of a pattern", { token: "a.*b$&" }, "a.*b$& axxb", "*** axxb"],
    ["a secret of one character", { token: "x" }, "x-y", "***-y"],
    ["an empty secret", { token: "" }, "text", "text"],
    ["a credential that is no text", { token: 12 }, "12", "12"],
    ["no credentials", {}, "text", "text"],
  ])("%s", (_, credentials, text, masked) => {
    expect(redactor({ definition: postbox, settings: {} }, credentials)(text)).toBe(masked);
  });

  it("masks the operator's secrets too", () => {
    const appSecret = { env: "APP_SECRET", default: "", help: "x", sensitive: true };
    const appId = { env: "APP_ID", default: "", help: "x" };
    const definition = { ...postbox, settings: { appSecret, appId } };
    const redact = redactor({ definition, settings: { appSecret: "s3", appId: "a1" } }, { token: "t0" });
    expect(redact("a1 s3 t0")).toBe("a1 *** ***");
  });

  it("leaves no secret at any position", () => {
    const secret = fc.string({ minLength: 4 }).filter((text) => !text.includes("*"));
    fc.assert(
      fc.property(secret, secret, fc.array(fc.string()), (token, spare, parts) => {
        const masked = redactor(
          { definition: postbox, settings: {} },
          { token, spare },
        )(parts.join(token) + spare);
        expect(masked).not.toContain(token);
        expect(masked).not.toContain(spare);
      }),
    );
  });
});

describe("redactDetails", () => {
  const redact = redactor({ definition: postbox, settings: {} }, { token: 'a"b\\', spare: "12" });

  it("masks within values, whatever characters a secret has", () => {
    const details = { url: '/a"b\\/x', nested: [{ text: 'a"b\\' }] };
    expect(redactDetails(details, redact)).toEqual({ url: "/***/x", nested: [{ text: "***" }] });
  });

  it("keeps numbers and dates readable", () => {
    const at = new Date("2030-01-02T03:04:05.678Z");
    expect(redactDetails({ status: 412, at }, redact)).toEqual({
      status: 412,
      at: "2030-01-02T03:04:05.678Z",
    });
  });
});
