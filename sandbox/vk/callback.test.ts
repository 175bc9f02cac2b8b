import { describe, expect, test } from "vitest";
import { demo } from "./demo.ts";
import { addServer, community, withReceiver } from "./test-kit.ts";

const group = { group_id: demo.groupId };

describe("callback servers", () => {
  test("are confirmed with the code, and get nothing before", () =>
    withReceiver(async ({ ok, admin, ann }, receiver) => {
      receiver.code = "wrong";
      const address = { ...group, url: `${receiver.url}/two`, title: "two", secret_key: "x" };
      const { server_id } = await ok("groups.addCallbackServer", address);
      await ok("groups.setCallbackSettings", { ...group, server_id: Number(server_id), message_new: 1 });
      await admin(`GET ${community}/confirmations?count=2`);
      await ann("messages", { text: "hi" });
      await receiver.reach(1);
      const { items } = await ok("groups.getCallbackServers", group);
      expect(items).toMatchObject([{ status: "ok" }, { status: "failed", secret_key: "x" }]);
      expect(await admin("GET /callbacks")).toMatchObject({ count: 1 });
      receiver.code = String((await ok("groups.getCallbackConfirmationCode", group))["code"]);
      await ok("groups.editCallbackServer", { ...address, server_id: Number(server_id) });
      await admin(`GET ${community}/confirmations?count=3`);
      await ann("messages", { text: "hi" });
      await receiver.reach(3);
      await ok("groups.deleteCallbackServer", { ...group, server_id: Number(server_id) });
      expect(await ok("groups.getCallbackServers", group)).toMatchObject({ count: 1 });
    }));

  test("with the confirmation before the response, without the secret", () =>
    withReceiver(async ({ ok, admin }, receiver) => {
      await admin("POST /settings", { confirmation: "before_answer", confirmation_secret: false });
      const { server_id } = await ok("groups.addCallbackServer", {
        ...group,
        url: receiver.url,
        title: "two",
      });
      const { items } = await ok("groups.getCallbackServers", { ...group, server_ids: Number(server_id) });
      expect(items).toMatchObject([{ status: "ok" }]);
    }));

  test("at most ten, and only valid URLs", () =>
    withReceiver(async ({ ok, refused }, receiver) => {
      const server = { ...group, url: receiver.url, title: "t" };
      for (let left = 9; left > 0; left--) await ok("groups.addCallbackServer", server);
      expect(await refused("groups.addCallbackServer", server)).toBe("2000 Servers number limit is reached");
      const edit = { ...server, server_id: 1 };
      const wrong = (more: object) => refused("groups.editCallbackServer", { ...edit, ...more });
      expect(await wrong({ url: "hook" })).toMatch(/url is invalid/);
      expect(await wrong({ title: "a".repeat(15) })).toMatch(/title should be maximum 14/);
      expect(await wrong({ secret_key: "a".repeat(51) })).toMatch(/secret_key should be maximum 50/);
      expect(await wrong({ server_id: 99 })).toBe("104 Not found");
    }));
});

describe("events", () => {
  test("have fields and types that no client knows, if a test asks for them", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      await admin("POST /settings", { novelty: 7 });
      for (let left = 10; left > 0; left--) await ann("messages", { text: "hello" });
      await receiver.reach(11);
      const sent = JSON.stringify(receiver.items.map(({ body }) => body));
      expect([/"new_\d+"/.test(sent), /"new_event_\d+"/.test(sent)]).toEqual([true, true]);
    }));

  test("are sent to the servers that enabled them", () =>
    withReceiver(async (kit, receiver) => {
      const { ann, ok, admin } = kit;
      const { message } = await ann("messages", {
        text: "hi",
        payload: { a: 1 },
        ref: "ad",
        ref_source: "site",
      });
      const own = await kit.send({ message: "yes", random_id: 77 });
      await ok("messages.edit", { peer_id: 111, message_id: Number(own["id"]), message: "no" });
      await ann("edits", { conversation_message_id: message?.["conversation_message_id"], text: "ho" });
      await ann("reads");
      await ann("reactions", { reaction_id: 2 });
      await ann("typing");
      await admin(`POST ${community}/replies`, { peer_id: 111, text: "from the page" });
      await ann("denials");
      await ann("allowances", { key: "k" });
      await receiver.reach(10);
      const events = receiver.items.map(({ body }) => body);
      for (const event of events) {
        expect(event).toMatchObject({
          group_id: demo.groupId,
          v: "5.199",
          secret: "s3cret",
          event_id: expect.stringMatching(/^[0-9a-f]{40}$/),
        });
      }
      const peer = { peer_id: 111 };
      const objects = events.map(({ type, object }) => [String(type), object]);
      expect(objects).toMatchObject([
        [
          "message_new",
          {
            message: {
              id: 1,
              ...peer,
              from_id: 111,
              out: 0,
              text: "hi",
              payload: '{"a":1}',
              ref: "ad",
              ref_source: "site",
            },
            client_info: { keyboard: true, inline_keyboard: true },
          },
        ],
        ["message_reply", { id: 2, ...peer, from_id: -demo.groupId, out: 1, text: "yes", random_id: 77 }],
        ["message_edit", { id: 2, text: "no", out: 1, update_time: expect.any(Number) }],
        ["message_edit", { id: 1, text: "ho", out: 0, from_id: 111 }],
        ["message_read", { from_id: 111, ...peer, read_message_id: 2, conversation_message_id: 2 }],
        ["message_reaction_event", { reacted_id: 111, ...peer, cmid: 2, reaction_id: 2 }],
        ["message_typing_state", { state: "typing", from_id: 111, to_id: -demo.groupId }],
        ["message_reply", { id: 3, text: "from the page", admin_author_id: demo.ownerId, random_id: 0 }],
        ["message_deny", { user_id: 111 }],
        ["message_allow", { user_id: 111, key: "k" }],
      ]);
      await ok("groups.setCallbackSettings", { ...group, server_id: 1, message_new: 0 });
      await ann("messages", { text: "unheard" });
      await ann("reads", { conversation_message_id: 2 });
      await receiver.reach(11);
      expect(receiver.types().at(-1)).toBe("message_read");
    }));

  test("are retried until the response is ok; Retry-After is honoured", () =>
    withReceiver(async ({ ann, admin }, receiver) => {
      await admin("POST /settings", { retry_scale: 0.01 });
      const started = performance.now();
      const answers: [status: number, body: string, headers: Record<string, string>][] = [
        [500, "", {}],
        [200, "OK", {}],
        [503, "", { "Retry-After": "30" }],
        [200, "ok", {}],
      ];
      receiver.answer = (_received, response) => {
        const [status, body, headers] = answers.shift() ?? [200, "ok", {}];
        response.writeHead(status, headers).end(body);
      };
      await ann("messages", { text: "x" });
      const { items } = await admin("GET /callbacks?count=4");
      expect(items).toMatchObject([
        { attempt: 1, status: 500 },
        { attempt: 2, status: 200, delivered: false },
        { attempt: 3, status: 503 },
        { attempt: 4, status: 200, delivered: true },
      ]);
      expect(receiver.items.map(({ headers }) => headers["x-retry-counter"])).toEqual([
        undefined,
        "1",
        "2",
        "3",
      ]);
      expect(new Set(receiver.items.map(({ body }) => String(body["event_id"]))).size).toBe(1);
      expect(performance.now() - started).toBeGreaterThan(300);
    }));

  test("stop after many consecutive failures, until the server is checked", () =>
    withReceiver(async ({ ann, admin, ok }, receiver) => {
      await admin("POST /settings", { failures_to_disable: 3, retry_scale: 1000 });
      receiver.answer = (_received, response) => response.writeHead(500).end();
      for (const text of ["1", "2", "3"]) await ann("messages", { text });
      await admin("GET /callbacks?count=3");
      expect((await ok("groups.getCallbackServers", group))["items"]).toMatchObject([{ status: "failed" }]);
      expect(await ann("messages", { text: "4" })).toMatchObject({ events: 0 });
      await admin(`POST ${community}/servers/1/statuses`, { status: "ok" });
      expect(await ann("messages", { text: "5" })).toMatchObject({ events: 1 });
    }));

  test("are held, reordered, repeated, forged", () =>
    withReceiver(async ({ ann, admin }, receiver) => {
      await admin("POST /callbacks/holds");
      for (const text of ["1", "2", "3"]) await ann("messages", { text });
      expect(await admin("GET /callbacks/holds")).toMatchObject({
        holding: true,
        items: [{ number: 1 }, {}, {}],
      });
      await admin("POST /callbacks/releases", { pick: [3, 1] });
      await receiver.reach(2);
      await admin("POST /callbacks/releases");
      await receiver.reach(3);
      const texts = () => receiver.items.map(({ body }) => String(body["object"]?.["message"]?.["text"]));
      expect(texts()).toEqual(["3", "1", "2"]);
      await admin("POST /callbacks/1/repeats", { times: 2 });
      await receiver.reach(5);
      const ids = receiver.items.map(({ body }) => body["event_id"]);
      expect(ids.slice(3)).toEqual([ids[0], ids[0]]);
      await admin("POST /callbacks/1/forgeries", { secret: "guess" });
      await receiver.reach(6);
      await admin("POST /callbacks/1/forgeries");
      await receiver.reach(7);
      expect(receiver.items.slice(5).map(({ body }) => body["secret"])).toEqual(["guess", undefined]);
      expect(new Set(receiver.items.map(({ body }) => String(body["event_id"]))).size).toBe(5);
      await admin("POST /settings", { deliveries: 2 });
      await ann("messages", { text: "4" });
      await receiver.reach(9);
      expect(texts().slice(7)).toEqual(["4", "4"]);
    }));

  test("within a conversation each callback waits for the response to the previous one; other conversations do not wait", () =>
    withReceiver(async ({ ann, admin }, receiver) => {
      const release = Promise.withResolvers<void>();
      receiver.answer = ({ body }, response) => {
        const isFirst = String(body["object"]?.["message"]?.["text"]) === "1";
        void (isFirst ? release.promise : Promise.resolve()).then(() => response.end("ok"));
      };
      await admin("POST /users", { id: 222, first_name: "Bob" });
      await ann("messages", { text: "1" });
      await ann("messages", { text: "2" });
      await receiver.reach(1);
      await admin("POST /messages", { user_id: 222, text: "3" });
      await admin("GET /callbacks?count=1");
      release.resolve();
      await receiver.reach(3);
      const texts = receiver.items.map(({ body }) => String(body["object"]?.["message"]?.["text"]));
      expect(texts).toEqual(["1", "3", "2"]);
    }));

  test("are abandoned after a day", () =>
    withReceiver(async ({ ann, admin }, receiver) => {
      await admin("POST /settings", { retry_scale: 1000 });
      receiver.answer = (_received, response) => response.writeHead(500).end();
      await ann("messages", { text: "lost" });
      await admin("GET /callbacks?count=1");
      await admin("POST /time", { advance_seconds: 24 * 3600 + 10 });
      receiver.answer = (_received, response) => response.end("ok");
      await ann("messages", { text: "late" });
      await admin("GET /callbacks?count=1&status=200");
      expect(receiver.items).toHaveLength(2);
    }));

  test("a server added later", () =>
    withReceiver(async (kit, receiver) => {
      await addServer(kit, `${receiver.url}/two`);
      await kit.admin(`GET ${community}/confirmations?count=2`);
      expect(await kit.ann("messages", { text: "to both" })).toMatchObject({ events: 2 });
      await receiver.reach(2);
    }));
});
