import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { demo } from "../demo.ts";
import { paths, type Received, withReceiver } from "../test-kit.ts";

const sign = (algorithm: string, { raw }: Received) =>
  createHmac(algorithm, demo.appSecret).update(raw).digest("hex");

describe("callbacks", () => {
  test("are signed over the exact bytes, which are escaped", () =>
    withReceiver(async ({ ann }, receiver) => {
      await ann("messages", { text: "äöå / 👍" });
      await receiver.reach(1);
      const [received] = receiver.items;
      if (!received) throw new Error("nothing came");
      expect(received.raw).toContain(String.raw`"body":"\u00e4\u00f6\u00e5 \/ \ud83d\udc4d"`);
      expect(received.headers).toMatchObject({
        "content-type": "application/json",
        "x-hub-signature": `sha1=${sign("sha1", received)}`,
        "x-hub-signature-256": `sha256=${sign("sha256", received)}`,
      });
      expect(received.body).toEqual({
        object: "whatsapp_business_account",
        entry: [
          {
            id: demo.wabaId,
            changes: [
              {
                value: {
                  messaging_product: "whatsapp",
                  metadata: { display_phone_number: demo.phone, phone_number_id: demo.numberId },
                  contacts: [
                    {
                      profile: { name: "Ann" },
                      wa_id: demo.user,
                      user_id: expect.stringMatching(/^US\.\d+$/),
                    },
                  ],
                  messages: [
                    {
                      from: demo.user,
                      from_user_id: expect.stringMatching(/^US\.\d+$/),
                      id: expect.stringMatching(/^wamid\./),
                      timestamp: expect.stringMatching(/^\d{10}$/),
                      type: "text",
                      text: { body: "äöå / 👍" },
                    },
                  ],
                },
                field: "messages",
              },
            ],
          },
        ],
      });
    }));

  test("are retried, immediately and then with pauses, until the response is 200", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      const answers = [500, 204, 302, 200];
      receiver.answer = (_received, response) => response.writeHead(answers.shift() ?? 200).end();
      await ann("messages", { text: "x" });
      const attempts = await admin("GET /callbacks?count=4");
      expect(attempts).toMatchObject({
        complete: true,
        items: [500, 204, 302, 200].map((status, index) => ({ callback_id: 1, attempt: index + 1, status })),
      });
      expect(new Set(receiver.items.map(({ raw }) => raw)).size).toBe(1);
      expect(await admin("GET /callbacks")).toMatchObject({ count: 4 });
    }));

  test("retries do not delay later callbacks; within a conversation first attempts keep their order", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      await admin("POST /settings", { retry_scale: 1000 });
      receiver.answer = ({ raw }, response) => response.writeHead(raw.includes("first") ? 500 : 200).end();
      for (const text of ["first", "second", "third"]) await ann("messages", { text });
      await receiver.reach(4);
      await expect
        .poll(() => receiver.values().map((value) => value["messages"]?.[0]?.["text"]?.["body"]))
        .toEqual(expect.arrayContaining(["first", "second", "third"]));
      await admin("POST /time", { advance_seconds: 20 });
      await expect.poll(() => receiver.items.filter(({ raw }) => raw.includes("first")).length).toBe(3);
    }));

  test("within a conversation each callback waits for the response to the previous one; other conversations do not wait", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      const release = Promise.withResolvers<void>();
      receiver.answer = ({ raw }, response) => {
        if (raw.includes('"body":"1"')) void release.promise.then(() => response.end());
        else response.end();
      };
      await admin("POST /users", { phone: "48111222333", name: "Bob" });
      await ann("messages", { text: "1" });
      await ann("messages", { text: "2" });
      await receiver.reach(1);
      await admin("POST /messages", { user_id: "48111222333", text: "3" });
      await admin("GET /callbacks?count=1");
      release.resolve();
      await receiver.reach(3);
      const texts = receiver.values().map((value) => value["messages"]?.[0]?.["text"]?.["body"]);
      expect(texts).toEqual(["1", "3", "2"]);
    }));

  test("are abandoned after seven days", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      await admin("POST /settings", { retry_scale: 1000 });
      receiver.answer = (_received, response) => response.writeHead(500).end();
      await ann("messages", { text: "x" });
      await admin("GET /callbacks?count=2");
      await admin("POST /time", { advance_seconds: 7 * 24 * 3600 + 1 });
      receiver.answer = (_received, response) => response.end();
      await ann("messages", { text: "y" });
      await admin("GET /callbacks?count=1&status=200");
      expect(receiver.items.map(({ raw }) => raw.includes('"x"'))).toEqual([true, true, false]);
    }));

  test("are held, batched, reordered, sent twice", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      await admin("POST /users", { id: "48111222333", name: "Bob" });
      await admin("POST /callbacks/holds");
      await ann("messages", { text: "1" });
      await ann("messages", { text: "2" });
      await admin("POST /messages", { user_id: "48111222333", text: "3" });
      expect(await admin("GET /callbacks/holds")).toMatchObject({
        holding: true,
        items: [{ number: 1 }, {}, {}],
      });
      await admin("POST /callbacks/releases", { pick: [3, 1], batch: true });
      await receiver.reach(1);
      expect(receiver.items).toHaveLength(1);
      expect(receiver.values()).toMatchObject([
        {
          contacts: [{ profile: { name: "Bob" } }, { profile: { name: "Ann" } }],
          messages: [{ text: { body: "3" } }, { text: { body: "1" } }],
        },
      ]);
      await admin("POST /callbacks/releases");
      await receiver.reach(2);
      await admin("POST /callbacks/2/repeats", { times: 2 });
      await receiver.reach(4);
      expect(receiver.items.slice(1).map(({ raw }) => raw.includes('"body":"2"'))).toEqual([
        true,
        true,
        true,
      ]);
      await admin("POST /settings", { deliveries: 2 });
      await ann("messages", { text: "4" });
      await receiver.reach(6);
      expect(receiver.items.slice(4).map(({ raw }) => raw)).toEqual([
        receiver.items[4]?.raw,
        receiver.items[4]?.raw,
      ]);
    }));

  test("several accounts and several kinds of changes in one body", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      const { id } = await admin("POST /wabas", { subscribed_app_ids: [demo.appId] });
      await admin("POST /callbacks/holds");
      await ann("messages", { text: "1" });
      await admin(`POST /wabas/${demo.wabaId}/limits`, { tier: "TIER_2K" });
      await admin(`POST /wabas/${id}/reviews`, { decision: "REJECTED" });
      await admin("POST /callbacks/releases", { batch: true });
      await receiver.reach(1);
      expect(receiver.items[0]?.body).toMatchObject({
        entry: [
          { id: demo.wabaId, changes: [{ field: "messages" }, { field: "business_capability_update" }] },
          { id, changes: [{ field: "account_review_update" }] },
        ],
      });
    }));
});

describe("destinations of callbacks", () => {
  const override = (url: string, token = "vibecoding") => ({
    override_callback_uri: url,
    verify_token: token,
  });

  test("an address must answer the challenge first", () =>
    withReceiver(
      async ({ ok, refused }, receiver) => {
        const route = `POST ${paths.subscribedApps}`;
        expect(await refused(route, override(receiver.url))).toBe(
          "400 (#100) Before override the current callback uri, your app must be subscribed to receive messages " +
            "for WhatsApp Business Account",
        );
        await ok(route, {});
        expect(await refused(route, override(receiver.url, "wrong"))).toBe(
          "400 (#2200) Callback verification failed with the following errors: HTTP Status Code = 403; " +
            "HTTP Message = Forbidden",
        );
        await ok(route, override(receiver.url));
        expect(receiver.verifications.map((query) => Object.fromEntries(query))).toEqual([
          {
            "hub.mode": "subscribe",
            "hub.challenge": expect.stringMatching(/^\d+$/),
            "hub.verify_token": "wrong",
          },
          {
            "hub.mode": "subscribe",
            "hub.challenge": expect.stringMatching(/^\d+$/),
            "hub.verify_token": "vibecoding",
          },
        ]);
        expect(await ok(`GET ${paths.subscribedApps}`)).toEqual({
          data: [
            {
              whatsapp_business_api_data: {
                id: demo.appId,
                name: "Trunkline demo",
                link: expect.any(String),
              },
              override_callback_uri: receiver.url,
            },
          ],
        });
      },
      { subscribe: false },
    ));

  test("the number's URL overrides the account's, which overrides the app's; only for messages", () =>
    withReceiver(async ({ admin, ann, ok }, receiver) => {
      const to = (name: string) => receiver.url.replace("hook", name);
      const urls = async () => {
        const { items } = await admin("GET /callbacks");
        return (items as unknown as { url: string }[]).map(({ url }) => url.split("/").at(-1));
      };
      await ann("messages", { text: "1" });
      await ok(`POST ${paths.subscribedApps}`, override(to("waba")));
      await ann("messages", { text: "2" });
      await ok(`POST ${paths.number}`, { webhook_configuration: override(to("number")) });
      await ann("messages", { text: "3" });
      await admin(`POST /wabas/${demo.wabaId}/limits`, { tier: "TIER_2K" });
      await receiver.reach(4);
      expect(await urls()).toEqual(["hook", "waba", "number", "hook"]);
      expect(await ok(`GET ${paths.number}?fields=webhook_configuration`)).toEqual({
        webhook_configuration: {
          phone_number: to("number"),
          whatsapp_business_account: to("waba"),
          application: receiver.url,
        },
        id: demo.numberId,
      });
      await admin("POST /settings", { override_scope: "all" });
      await ok(`POST ${paths.number}`, { webhook_configuration: { override_callback_uri: "" } });
      await admin(`POST /wabas/${demo.wabaId}/limits`, { tier: "TIER_10K" });
      await receiver.reach(5);
      expect((await urls()).at(-1)).toBe("waba");
    }));

  test("an app sets its own URL with its own token, and gets the fields that it requested", () =>
    withReceiver(
      async ({ admin, ann, graph, ok, refused }, receiver) => {
        const route = `POST /v23.0/${demo.appId}/subscriptions`;
        const form = {
          object: "whatsapp_business_account",
          callback_url: receiver.url,
          verify_token: receiver.verifyToken,
          fields: "account_update",
        };
        expect(await refused(route, form)).toBe(
          "400 (#15) This method must be called with an app access_token.",
        );
        const token = `${demo.appId}|${demo.appSecret}`;
        expect(await graph(route, form, { token })).toMatchObject({ status: 200, body: { success: true } });
        await ok(`POST ${paths.subscribedApps}`, {});
        await ann("messages", { text: "not told" });
        await admin(`POST /wabas/${demo.wabaId}/bans`, { state: "SCHEDULE_FOR_DISABLE" });
        await receiver.reach(1);
        expect(receiver.items[0]?.body["entry"]).toMatchObject([
          {
            id: demo.wabaId,
            time: expect.any(Number),
            changes: [{ field: "account_update", value: { event: "DISABLED_UPDATE" } }],
          },
        ]);
      },
      { subscribe: false },
    ));
});
