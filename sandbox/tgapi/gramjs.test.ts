import { createPublicKey } from "node:crypto";
import { createRequire } from "node:module";
import bigInt from "big-integer";
import { Api, TelegramClient } from "telegram";
import { _serverKeys } from "telegram/crypto/RSA.js";
import { LogLevel } from "telegram/extensions/Logger.js";
import { ConnectionTCPFull } from "telegram/network/index.js";
import { StringSession } from "telegram/sessions/index.js";
import { expect, test } from "vitest";
import { serverKeyFingerprint, serverPublicKeyPem } from "./crypto/server-key.ts";
import type { Tgapi } from "./server.ts";
import { ann, bob, withTgapi } from "./test-kit.ts";
import { parseSchema } from "./tl/text-schema.ts";

const load = createRequire(import.meta.url);
const layer = 198;
/** The schema that is part of the second client. */
const schemas = [parseSchema(layer, String(load("telegram/tl/apiTl.js")))];

test("an independent client of an older layer logs in with a password, writes and reads", async () => {
  await withTgapi(
    async ({ admin, tgapi }) => {
      await admin("POST /people", { phone: ann, password: "right", hint: "not left" });
      await admin("POST /forgeries", { kind: "new_nonce_hash" });
      trustServer();
      const gram = openGram(tgapi);
      const attempts = ["wrong", "right"];
      const hints: (string | undefined)[] = [];
      try {
        expect(await gram.connect(), "connected").toBe(true);
        await gram.signInUserWithQrCode(
          { apiId: 1, apiHash: "hash" },
          {
            qrCode: async ({ token }) => {
              const qr = `tg://login?token=${token.toString("base64url")}`;
              await admin(`POST /people/${ann}/scans`, { qr });
            },
            password: async (hint) => {
              hints.push(hint);
              return attempts.shift() ?? "";
            },
            onError: async ({ message }) => !message.includes("PASSWORD_HASH_INVALID"),
          },
        );
        expect(hints).toEqual(["not left", "not left"]);
        await gram.sendMessage("bob_demo", { message: "Hello from GramJS" });
        expect(await admin(`GET /people/${bob}/inbox?count=1`)).toMatchObject({
          items: [{ text: "Hello from GramJS" }],
        });
        await admin(`POST /people/${bob}/messages`, { to: ann, text: "Hello, GramJS" });
        const [newest] = await gram.getMessages("bob_demo", { limit: 1 });
        expect(newest?.message).toBe("Hello, GramJS");
        const invited = await gram.invoke(
          new Api.messages.CreateChat({ users: ["bob_demo"], title: "From GramJS" }),
        );
        expect(invited.missingInvitees).toEqual([]);
        expect((await admin("GET /groups"))["items"]).toMatchObject([
          { title: "From GramJS", members: [{ phone: ann, role: "creator" }, { phone: bob }] },
        ]);
        expect((await admin("GET /calls?unknown=true"))["items"]).toEqual([]);
      } finally {
        await gram.destroy();
      }
    },
    { schemas },
  );
});

/**
 * It connects to port 80 regardless of its session, so the transport overrides the port. It drops leading zeros of a key
 * that it makes, and so refuses one key exchange in 256 and must begin again; a forgery makes this happen each time.
 * Without a connection its calls wait forever.
 */
function openGram({ dataCentres }: Tgapi): TelegramClient {
  const { id = 2, host = "", port = 0 } = dataCentres[0] ?? {};
  class ConnectionHere extends ConnectionTCPFull {
    constructor(...[setup]: ConstructorParameters<typeof ConnectionTCPFull>) {
      super({ ...setup, port });
    }
  }
  const session = new StringSession("");
  session.setDC(id, host, 80);
  const options = { connectionRetries: 5, useWSS: false, connection: ConnectionHere };
  const gram = new TelegramClient(session, 1, "hash", options);
  gram.setLogLevel(LogLevel.NONE);
  return gram;
}

function trustServer(): void {
  const { n = "", e = "" } = createPublicKey(serverPublicKeyPem).export({ format: "jwk" });
  const number = (text: string) => bigInt(Buffer.from(text, "base64url").toString("hex"), 16);
  _serverKeys.set(serverKeyFingerprint.toString(), { n: number(n), e: number(e).toJSNumber() });
}
