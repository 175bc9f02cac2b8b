import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import type { Json } from "../../test-kit.ts";
import { demo } from "../demo.ts";
import { hello, paths, type Receiver, type WapiKit, withReceiver } from "../test-kit.ts";

const text = { type: "text", text: { body: "Hello" } };
const order = {
  type: "template",
  template: {
    name: "order_confirmation",
    language: { code: "en_US" },
    components: [
      { type: "body", parameters: ["Mark", "860198"].map((value) => ({ type: "text", text: value })) },
    ],
  },
};

/** `[status, code?]` of every received status. */
function statuses(receiver: Receiver): (readonly unknown[])[] {
  return receiver
    .values()
    .flatMap((value) => (value["statuses"] ?? []) as unknown as Json[])
    .map((status) => [status["status"], ...(status["errors"] ? [status["errors"][0]?.["code"]] : [])]);
}

/** Opens the window, and deletes the callback of that message. */
async function open({ ann }: WapiKit, receiver: Receiver): Promise<void> {
  await ann("messages", { text: "hi" });
  await receiver.reach(1);
}

describe("statuses", () => {
  test("sent and delivered automatically, read when the person reads", () =>
    withReceiver(async (kit, receiver) => {
      await open(kit, receiver);
      const id = await kit.send({ ...text, biz_opaque_callback_data: "mine-1" });
      await receiver.reach(3);
      expect(await kit.ann("reads")).toEqual({ message_ids: [id] });
      await receiver.reach(4);
      expect(receiver.values().slice(1)).toMatchObject(
        ["sent", "delivered", "read"].map((status) => ({
          metadata: { phone_number_id: demo.numberId },
          statuses: [
            {
              id,
              status,
              recipient_id: demo.user,
              timestamp: expect.stringMatching(/^\d{10}$/),
              biz_opaque_callback_data: "mine-1",
              pricing: { billable: false, pricing_model: "PMP", category: "service" },
            },
          ],
        })),
      );
      expect(await kit.ann("reads")).toEqual({ message_ids: [] });
    }));

  test("as far as the settings allow, and any manually", () =>
    withReceiver(async (kit, receiver) => {
      await kit.admin("POST /settings", { auto_statuses: "none" });
      await open(kit, receiver);
      const message_id = await kit.send(text);
      for (const status of ["read", "delivered", "sent", "sent"]) {
        await kit.admin(`POST /numbers/${demo.numberId}/statuses`, { message_id, status });
      }
      const failed = { message_id, status: "failed", error_code: 131049, details: "so it is" };
      await kit.admin(`POST /numbers/${demo.numberId}/statuses`, failed);
      await receiver.reach(6);
      expect(statuses(receiver)).toEqual([["read"], ["delivered"], ["sent"], ["sent"], ["failed", 131049]]);
    }));

  test("outside the window only templates arrive, within it everything, for a day", () =>
    withReceiver(async (kit, receiver) => {
      await kit.send(text);
      await receiver.reach(1);
      expect(receiver.values()[0]?.["statuses"]?.[0]?.["errors"]).toMatchObject([
        {
          code: 131047,
          title: "Re-engagement message",
          message: "Re-engagement message",
          error_data: { details: expect.stringContaining("24 hours") },
          href: expect.stringContaining("error-codes"),
        },
      ]);
      await kit.send(order);
      await receiver.reach(3);
      await kit.ann("messages", { text: "hi" });
      await kit.send(text);
      await receiver.reach(6);
      await kit.admin("POST /time", { advance_seconds: 24 * 3600 });
      await kit.send(text);
      await receiver.reach(7);
      expect(statuses(receiver)).toEqual([
        ["failed", 131047],
        ["sent"],
        ["delivered"],
        ["sent"],
        ["delivered"],
        ["failed", 131047],
      ]);
    }));

  test("a closed window can be reported immediately", () =>
    withReceiver(async ({ admin, refused }) => {
      await admin("POST /settings", { window_errors: "at_once" });
      expect(await refused(`POST ${paths.messages}`, hello)).toMatch(
        /^400 \(#131047\) Re-engagement message \| /,
      );
    }));

  test("unknown numbers fail; a person who has blocked the business gets nothing", () =>
    withReceiver(async (kit, receiver) => {
      await kit.send({ ...text, to: "48999999999" });
      await receiver.reach(1);
      await kit.ann("messages", { text: "hi" });
      await receiver.reach(2);
      await kit.ann("blocks");
      await kit.send(text);
      await receiver.reach(3);
      await kit.ann("unblocks");
      await kit.send(text);
      await receiver.reach(5);
      expect(statuses(receiver)).toEqual([["failed", 131026], ["sent"], ["sent"], ["delivered"]]);
    }));

  test("a fault that makes a message fail later", () =>
    withReceiver(async (kit, receiver) => {
      await open(kit, receiver);
      await kit.admin("POST /faults", { to: demo.user, status_error_code: 131048 });
      await kit.send(text);
      await kit.send(text);
      await receiver.reach(4);
      expect(statuses(receiver)).toEqual([["failed", 131048], ["sent"], ["delivered"]]);
    }));

  test("the platform downloads links itself", () => {
    const server = createServer((request, response) => {
      const type = request.url === "/page" ? "text/html" : "image/jpeg";
      response.writeHead(request.url === "/gone" ? 404 : 200, { "Content-Type": type });
      response.end(Buffer.alloc(request.url === "/large" ? 5 * 1024 * 1024 + 1 : 10));
    });
    return new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      .then(() =>
        withReceiver(async (kit, receiver) => {
          const address = server.address();
          const port = typeof address === "object" ? address?.port : 0;
          await open(kit, receiver);
          const details: unknown[] = [];
          for (const path of ["gone", "page", "large", "good"]) {
            const link = `http://127.0.0.1:${port}/${path}`;
            const before = receiver.items.length;
            await kit.send({ type: "image", image: { link } });
            await receiver.reach(before + 1);
            const [status] = (receiver.values().at(-1)?.["statuses"] ?? []) as unknown as Json[];
            details.push(status?.["errors"]?.[0]?.["error_data"]?.["details"] ?? status?.["status"]);
          }
          expect(details).toEqual([
            "Downloading media from weblink failed with http code 404, status message Not Found",
            "Unsupported image mime type text/html. Please use one of the supported types.",
            "Media file size too big. Max file size we currently support: 5242880 bytes.",
            expect.stringMatching(/^(sent|delivered)$/),
          ]);
        }),
      )
      .finally(() => {
        server.closeAllConnections();
        server.close();
      });
  });

  test("a restricted business cannot write first, but can reply", () =>
    withReceiver(async ({ admin, ann, refused, send }) => {
      await admin(`POST /wabas/${demo.wabaId}/restrictions`);
      const request = { messaging_product: "whatsapp", to: demo.user, ...order };
      expect(await refused(`POST ${paths.messages}`, request)).toMatch(/^403 \(#368\) Temporarily blocked/);
      await ann("messages", { text: "hi" });
      await send(order);
    }));

  test("the messaging limit counts the people that the business writes to first, per day", () =>
    withReceiver(async ({ admin, graph, ok }) => {
      await ok(`GET ${paths.number}?fields=messaging_limit_tier`);
      await admin(`POST /wabas/${demo.wabaId}/limits`, { tier: "TIER_50" });
      const send = async (index: number) => {
        const phone = String(48_600_000_000 + index);
        await admin("POST /users", { phone });
        const { status, body } = await graph(`POST ${paths.messages}`, {
          messaging_product: "whatsapp",
          to: phone,
          ...order,
        });
        return status === 200 ? 200 : Number(body["error"]?.["code"]);
      };
      const results: number[] = [];
      for (let index = 0; index < 51; index++) results.push(await send(index));
      expect(results).toEqual([...Array(50).fill(200), 131048]);
      expect(await send(0)).toBe(200);
      await admin("POST /time", { advance_seconds: 24 * 3600 });
      expect(await send(51)).toBe(200);
    }));
});
