import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { newState, withWhatsapp } from "./test-kit.ts";

const ann = "79990000001";

describe("a client that violates the protocol is disconnected, and the reason recorded", () => {
  const beginnings: readonly (readonly [what: string, bytes: string, reason: RegExp])[] = [
    ["another protocol", "474554202f", /begin with WA/],
    ["another dictionary", "57410502", /begin with WA/],
    ["a frame that is no handshake", "57410603000003ffffff", /./],
    ["a handshake without a key", `57410603000000`, /client hello/],
    ["a key of small order", `57410603000026${"12220a20"}${"00".repeat(32)}0000`.slice(0, 90), /./],
  ];
  test.each(beginnings)("%s", (_, bytes, reason) =>
    withWhatsapp(async ({ admin, whatsapp }) => {
      const socket = new WebSocket(whatsapp.url, { ca: readFileSync(whatsapp.caFile) });
      await once(socket, "open");
      const closed = once(socket, "close");
      socket.send(Buffer.from(bytes, "hex"));
      await closed;
      const { items } = await admin("GET /events?event=violation&count=1");
      expect(items?.[0]?.["detail"]).toMatch(reason);
    }),
  );

  test("a pre-key without its identity's signature", () =>
    withWhatsapp(async ({ admin, open }) => {
      const state = newState();
      const { signature } = state.creds.signedPreKey;
      signature[5] = (signature[5] ?? 0) ^ 1;
      await open(state).closed();
      const { items } = await admin("GET /events?event=violation&count=1");
      expect(items?.[0]?.["detail"]).toMatch(/signature of the pre-key/);
    }));

  test("a message before the login", () =>
    withWhatsapp(async ({ admin, open }) => {
      const client = open(newState());
      await client.until(({ qr }) => qr !== undefined);
      const content = [{ tag: "enc", attrs: { v: "2", type: "msg" }, content: Buffer.alloc(40) }];
      await client.socket.sendNode({
        tag: "message",
        attrs: { id: "1", to: `${ann}@s.whatsapp.net` },
        content,
      });
      await client.closed();
      const { items } = await admin("GET /events?event=violation&count=1");
      expect(items?.[0]?.["detail"]).toMatch(/login before <message>/);
    }));

  test("a frame out of order", () =>
    withWhatsapp(async ({ admin, link }) => {
      const client = await link(ann);
      const inner = client.socket.ws as unknown as { socket: WebSocket };
      inner.socket.send(Buffer.concat([Buffer.of(0, 0, 40), Buffer.alloc(40, 1)]));
      await client.closed();
      expect(await admin(`GET /events?event=violation&phone=${ann}&count=1`)).toMatchObject({
        complete: true,
      });
    }));
});
