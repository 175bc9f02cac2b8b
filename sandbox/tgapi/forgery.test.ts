import { expect, test } from "vitest";
import { ann, bob, until, withTgapi } from "./test-kit.ts";

/** The messages of an unmodified client about a forged key exchange. */
const refusals: Readonly<Record<string, string>> = {
  fingerprint: "could not find server public key",
  nonce: "invalid nonce from server",
  g_a: "g_a is not within",
  answer_hash: "invalid inner data hash",
  dh_prime: "dh_prime is not prime",
  new_nonce_hash: "invalid nonce hash",
};

test("the client detects each forgery in the key exchange, and restarts it", async () => {
  await withTgapi(async ({ admin, open }) => {
    for (const [kind, words] of Object.entries(refusals)) {
      await admin("POST /forgeries", { kind });
      const errors: string[] = [];
      const { tg } = open();
      tg.onError.add(({ message }) => void errors.push(message));
      expect((await tg.call({ _: "help.getNearestDc" })).thisDc).toBe(2);
      expect(errors.join().toLowerCase(), kind).toContain(words);
      await tg.destroy();
    }
  });
});

test.each(["msg_key", "session_id", "server_salt", "bad_server_salt", "old_msg_id", "replay"])(
  "with a forged %s, each message arrives once",
  async (kind) => {
    await withTgapi(async ({ admin, login }) => {
      const { tg, texts } = await login(ann);
      await admin("POST /forgeries", { kind });
      for (const text of ["one", "two", "three"])
        await admin(`POST /people/${bob}/messages`, { to: ann, text });
      await tg.call({ _: "help.getNearestDc" });
      await until("messages", () => (texts.length >= 3 ? true : undefined));
      expect(texts).toEqual(["one", "two", "three"]);
    });
  },
);
