import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { opcode } from "./opcode.ts";
import { ann, bob, type Client, type Kit, withMax } from "./test-kit.ts";
import { writeFrame } from "./wire/binary-codec.ts";

async function dialog({ idOf }: Kit): Promise<number> {
  return Number(BigInt(await idOf(ann)) ^ BigInt(await idOf(bob)));
}

const message = (cid: number) => ({ text: "hi", cid, elements: [], attaches: [] });

test("requests are refused, delayed, get no response, or lose their connection", async () => {
  await withMax(async (kit) => {
    const { admin, link, open } = kit;
    const client = await link(ann);
    const chatId = await dialog(kit);
    const send = (from: Client, cid: number) =>
      from.exchange(opcode.msgSend, { chatId, message: message(cid) });
    const fault = (body: object) => admin("POST /faults", { opcode: opcode.msgSend, ...body });

    await fault({ error: "too.many.requests", phone: ann });
    expect((await send(client, 1)).payload).toMatchObject({ error: "too.many.requests" });
    expect((await send(client, 1)).cmd).toBe(1);

    await fault({ hang_ms: 50 });
    const slow = send(client, 2);
    const [first] = await Promise.race([
      slow.then(() => ["slow"]),
      client.call(opcode.ping, {}).then(() => ["ping"]),
    ]);
    expect(first).toBe("ping");
    await slow;

    await fault({ silent: "after" });
    const unanswered = send(client, 3);
    expect(await admin("GET /sent?cid=3&count=1")).toMatchObject({ items: [{ repeated: false }] });
    await fault({ silent: "before" });
    void send(client, 4).catch(() => undefined);
    await admin("GET /calls?opcode=64&count=5");
    expect(await admin("GET /sent?cid=4")).toMatchObject({ count: 0 });

    await fault({ drop: "after" });
    await expect(send(client, 5)).rejects.toThrow("closed with 1006");
    await expect(unanswered).rejects.toThrow("closed");
    expect(await admin(`GET /people/${bob}/inbox`)).toMatchObject({ count: 4 });
    const back = await open();
    await back.logIn(client.token);
    expect((await send(back, 5)).cmd).toBe(1);
    expect(await admin("GET /sent?cid=5")).toMatchObject({
      items: [{ repeated: false }, { repeated: true }],
    });
    expect(await admin(`GET /people/${bob}/inbox`)).toMatchObject({ count: 4 });

    await fault({ drop: "before", chat_id: chatId });
    await expect(send(back, 6)).rejects.toThrow("closed with 1006");
    expect(await admin("GET /sent?cid=6")).toMatchObject({ count: 0 });
    expect((await admin("GET /faults"))["items"]).toHaveLength(6);
  });
});

/** The result of a damaged response in the client's own codec. */
const forged: readonly (readonly [
  kind: string,
  form: "binary" | "json",
  check: (client: Client) => Promise<void>,
])[] = [
  [
    "payload",
    "binary",
    async (client) => expect(await client.call(opcode.sessionsInfo, {})).toEqual({ unexpected: true }),
  ],
  ["seq", "binary", async (client) => expectNoAnswer(client)],
  [
    "twice",
    "json",
    async (client) => expect(await client.call(opcode.sessionsInfo, {})).toHaveProperty("sessions"),
  ],
  ["truncated", "binary", async (client) => expectNoAnswer(client)],
  ["truncated", "json", async (client) => expectNoAnswer(client)],
  ["length", "binary", async (client) => expectNoAnswer(client)],
  ["garbage", "binary", async (client) => expectNoAnswer(client)],
  ["garbage", "json", async (client) => expectNoAnswer(client)],
  ["bomb", "binary", async (client) => expectNoAnswer(client)],
];

/** The request is still pending when the next one gets its response. */
async function expectNoAnswer(client: Client): Promise<void> {
  let answered = false;
  const answer = client.call(opcode.sessionsInfo, {}).then(
    () => (answered = true),
    () => undefined,
  );
  await client.call(opcode.ping, {});
  expect(answered).toBe(false);
  client.close();
  await answer;
}

test.each(forged)("a response can be forged: %s (%s)", async (forge, form, check) => {
  await withMax(async ({ admin, link }) => {
    const client = await link(ann, { form });
    await admin("POST /faults", { opcode: opcode.sessionsInfo, forge });
    await check(client);
  });
});

test("a frozen connection resumes where it stopped; frames can be forged", async () => {
  await withMax(async (kit) => {
    const { admin, link } = kit;
    const client = await link(ann);
    const session = `/people/${ann}/sessions/any`;
    await admin(`POST ${session}/freezes`);
    const waiting = client.call(opcode.sessionsInfo, {});
    await admin(`POST /people/${bob}/messages`, { to: ann, text: "held" });
    expect(client.pushes).toEqual([]);
    await admin(`POST ${session}/thaws`);
    expect(await waiting).toHaveProperty("sessions");
    expect(await client.next(opcode.notifMessage)).toMatchObject({ message: { text: "held" } });
    await admin(`POST ${session}/frames`, { opcode: 999, payload: { strange: [1] } });
    expect(await client.next(999)).toEqual({ strange: [1] });
    await admin(`POST ${session}/closes`, { code: 1012 });
    expect(await client.closed).toBe(1012);
    expect(await kit.refused(`POST ${session}/drops`)).toBe("409 offline");
  });
});

test("clients must respond to pings, and send a request now and then", async () => {
  await withMax(async ({ admin, link, open }) => {
    const client = await link(ann);
    await admin(`POST /people/${ann}/sessions/any/pings`);
    expect(await admin("GET /acks?opcode=1&count=1")).toMatchObject({
      items: [{ phone: ann, frame_seq: 0 }],
    });
    await admin("POST /settings", { ping_ms: 20 });
    expect(await admin("GET /acks?opcode=1&count=3")).toMatchObject({ complete: true });
    client.answersPings = false;
    await admin("POST /settings", { pong_ms: 60 });
    expect(await client.closed).toBe(1001);
    expect(await admin("GET /events?event=cut_off&count=1")).toMatchObject({
      items: [{ phone: ann, detail: "no pong" }],
    });
    await admin("POST /settings", { pong_ms: 10_000 });
    const idle = await open();
    await admin("POST /settings", { idle_ms: 100 });
    expect(await idle.closed).toBe(1001);
    expect(await admin("GET /events?event=cut_off&count=2")).toMatchObject({
      items: [{}, { detail: "idle" }],
    });
  });
});

test("too many sends and lookups are refused for a minute; restricted accounts may only reply", async () => {
  await withMax(async (kit) => {
    const { admin, link } = kit;
    const client = await link(ann);
    const chatId = await dialog(kit);
    await admin("POST /flood", { sends_per_minute: 2, lookups_per_minute: 1 });
    const send = (cid: number) => client.exchange(opcode.msgSend, { chatId, message: message(cid) });
    for (const [cid, cmd] of [
      [1, 1],
      [2, 1],
      [3, 3],
      [1, 1],
    ] as const)
      expect((await send(cid)).cmd).toBe(cmd);
    await client.call(opcode.contactInfoByPhone, { phone: bob });
    expect(await client.refusal(opcode.contactInfoByPhone, { phone: bob })).toBe("too.many.requests");
    await admin("POST /time", { advance_seconds: 60 });
    expect((await send(3)).cmd).toBe(1);
    await admin("POST /flood", { logins_per_minute: 1 });
    await (await kit.open()).logIn(client.token);
    const again = await kit.open();
    expect(await again.refusal(opcode.login, { token: client.token })).toBe("login.flood");
    await admin("DELETE /flood");
    await again.logIn(client.token);

    await admin(`POST /people/${ann}/restrictions`, { seconds: 600 });
    const first = await again.exchange(opcode.msgSend, { chatId, message: message(4) });
    expect(first.payload).toMatchObject({ error: "error.user.restricted" });
    await admin(`POST /people/${bob}/messages`, { to: ann, text: "hello" });
    expect((await again.exchange(opcode.msgSend, { chatId, message: message(4) })).cmd).toBe(1);
  });
});

test("random bytes, compression bombs and oversized frames end the connection, not the server", async () => {
  await withMax(async ({ open }) => {
    const spoilt = [
      ...Array.from({ length: 40 }, (_, length) => randomBytes(length)),
      ...Array.from({ length: 40 }, (_, length) =>
        Buffer.concat([Buffer.from("0a0000050040", "hex"), randomBytes(length + 4)]),
      ),
      Buffer.alloc(17 * 1024 * 1024),
    ];
    const bystander = await open({ deviceId: "device-0" });
    for (const data of spoilt) {
      const client = await open({ deviceId: "device-1" });
      client.socket.send(data);
      expect([1007, 1009]).toContain(await client.closed);
    }
    const bomb = await open({ deviceId: "device-2" });
    const body = Buffer.concat([
      Buffer.from("1f410100", "hex"),
      Buffer.alloc(1 << 20, 255),
      Buffer.from("0000", "hex"),
    ]);
    bomb.socket.send(writeFrame({ cmd: 0, seq: 9, opcode: 1, flags: 254, body }));
    await bomb.call(opcode.ping, {});
    await bystander.call(opcode.ping, {});
  });
});

test("frames of both formats on one connection, or of none, end it", async () => {
  await withMax(async ({ admin, link, open }) => {
    const mixed = await link(ann);
    mixed.socket.send('{"ver":11,"cmd":0,"seq":9,"opcode":1,"payload":{}}');
    expect(await mixed.closed).toBe(1007);
    const torn = await open({ deviceId: "device-2" });
    torn.socket.send(Buffer.from("0a0000", "hex"));
    expect(await torn.closed).toBe(1007);
    const server = await open({ deviceId: "device-3", form: "json" });
    server.socket.send('{"ver":11,"cmd":3,"seq":9,"opcode":1,"payload":{}}');
    expect(await server.closed).toBe(1007);
    expect(await admin("GET /events?event=violation&count=3")).toMatchObject({ complete: true });
    const unreadable = await open({ deviceId: "device-5" });
    unreadable.socket.send(Buffer.from("0a000007000100000002c1c1", "hex"));
    expect(await admin("GET /calls?error=proto.payload&count=1")).toMatchObject({
      items: [{ name: "unreadable", frame_seq: 7 }],
    });
    await unreadable.call(opcode.ping, {});
  });
});
