import { webcrypto } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { printableSecret, signatureHeaders } from "./signature.ts";

/** What the libraries of Standard Webhooks do at a receiver, by another implementation of HMAC. */
async function verifies(
  secret: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<boolean> {
  const name = { name: "HMAC", hash: "SHA-256" };
  const raw = Buffer.from(secret.replace("whsec_", ""), "base64");
  const key = await webcrypto.subtle.importKey("raw", raw, name, false, ["verify"]);
  const [version, signature = ""] = (headers["webhook-signature"] ?? "").split(",");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return (
    version === "v1" &&
    webcrypto.subtle.verify("HMAC", key, Buffer.from(signature, "base64"), new TextEncoder().encode(signed))
  );
}

it("computes the published example's signature", () => {
  const secret = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
  const at = new Date(1614265330_000);
  expect(signatureHeaders([secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", at, '{"test": 2432232314}')).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
  expect(printableSecret(secret)).toBe("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
});

it("counts whole seconds", () => {
  const headers = signatureHeaders([new Uint8Array(32)], "msg_1", new Date("2030-01-02T03:04:05.999Z"), "{}");
  expect(headers["webhook-timestamp"]).toBe("1893553445");
});

it("signs with each of several secrets, so that receivers may use any", async () => {
  const [next, last, other] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
  const headers = signatureHeaders(
    [next ?? new Uint8Array(), last ?? new Uint8Array()],
    "msg_1",
    new Date(0),
    "{}",
  );
  const signatures = (headers["webhook-signature"] ?? "").split(" ");
  expect(signatures).toHaveLength(2);
  const verified = (secret = new Uint8Array()) =>
    Promise.all(
      signatures.map((one) =>
        verifies(printableSecret(secret), { ...headers, "webhook-signature": one }, "{}"),
      ),
    );
  expect(await verified(next)).toEqual([true, false]);
  expect(await verified(last)).toEqual([false, true]);
  expect(await verified(other)).toEqual([false, false]);
});

it("is accepted by receivers, and nothing else is", async () => {
  const secret = fc.uint8Array({ minLength: 24, maxLength: 64 });
  const at = fc.date({ min: new Date(0), max: new Date("2200-01-01"), noInvalidDate: true });
  await fc.assert(
    fc.asyncProperty(secret, at, fc.uuid(), fc.json(), async (bytes, moment, id, body) => {
      const headers = signatureHeaders([bytes], id, moment, body);
      const printed = printableSecret(bytes);
      expect(await verifies(printed, headers, body)).toBe(true);
      expect(await verifies(printed, headers, `${body} `)).toBe(false);
      expect(await verifies(printed, { ...headers, "webhook-id": `${id}x` }, body)).toBe(false);
      expect(await verifies(printed, { ...headers, "webhook-timestamp": "1" }, body)).toBe(false);
      expect(await verifies(printableSecret(bytes.map((byte) => byte ^ 1)), headers, body)).toBe(false);
    }),
    { numRuns: 50 },
  );
});
