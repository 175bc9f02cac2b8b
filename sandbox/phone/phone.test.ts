import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { emulatorFactories } from "../emulators.ts";
import { type Sandbox, startSandbox } from "../server.ts";
import { requestJson } from "../test-kit.ts";
import { frameOf, redact } from "./frames.ts";
import { phones } from "./registry.ts";
import type { Chat, Conversation, Look, Message, Person, Trouble } from "./shape.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seedDemo: true, eager: true });
  await fetch(sandbox.url);
  // A notice of the messenger would follow the first message.
  await requestJson("POST", `${sandbox.url}/admin/avito/settings`, { notices: false });
});
afterAll(() => sandbox.close());

async function ask<T>(route: string, body?: object): Promise<T> {
  const [method = "GET", path = ""] = route.split(" ");
  const answer = await requestJson(method, `${sandbox.url}/admin/phone${path}`, body);
  if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
  return answer.body as T;
}

/** The first person of a messenger, with a chat; the demo has both. */
async function sit(messenger: string) {
  const { items: people } = await ask<{ items: Person[] }>(`GET /${messenger}/people`);
  const person = people.at(-1);
  if (person === undefined) throw new Error("nobody is here");
  const at = `/${messenger}/people/${encodeURIComponent(person.id)}/chats`;
  const { items: chats } = await ask<{ items: Chat[] }>(`GET ${at}`);
  const [chat] = chats;
  if (chat === undefined) throw new Error("there is no chat");
  return { person, chat, at: `${at}/${encodeURIComponent(chat.id)}` };
}

const FILES: readonly Look[] = ["image", "video", "round", "audio", "voice", "file"];
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("exactly the emulated messengers have a phone", () => {
  expect([...phones.keys()]).toEqual(Object.keys(emulatorFactories));
});

describe.each([...phones])("%s", (messenger, phone) => {
  test.each(phone.kinds.map(({ kind, look }) => [kind, look] as const))("%s is sent", async (kind, look) => {
    const { at } = await sit(messenger);
    const before = (await ask<Conversation>(`GET ${at}`)).messages.length;
    await ask(`POST ${at}/send`, {
      kind,
      text: `words of ${kind}`,
      name: "Bob",
      phone: "79990000002",
      latitude: 55.75,
      longitude: 37.62,
    });
    const { messages } = await ask<Conversation>(`GET ${at}`);
    expect(messages.length).toBe(before + 1);
    const written = messages.at(-1);
    expect(written).toMatchObject({ mine: true, deleted: false });
    expect(written?.at).toBeGreaterThan(Date.now() - 60_000);
    checkContent(messenger, written, look);
    for (const [index, file] of (written?.files ?? []).entries()) {
      const url = `${sandbox.url}/admin/phone${at}/messages/${encodeURIComponent(written?.id ?? "")}/files/${index}`;
      const answer = await fetch(url);
      expect([answer.status, (await answer.arrayBuffer()).byteLength > 0], file.name).toEqual([200, true]);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("a picture is sent unchanged, quoted, edited and deleted if supported", async () => {
    const { at } = await sit(messenger);
    const image = phone.kinds.find((each) => each.look === "image");
    await ask(`POST ${at}/send`, {
      kind: image?.kind,
      file: { base64: PNG.toString("base64"), name: "one.png", mime_type: "image/png" },
    });
    const picture = (await ask<Conversation>(`GET ${at}`)).messages.at(-1);
    const answer = await fetch(
      `${sandbox.url}/admin/phone${at}/messages/${encodeURIComponent(picture?.id ?? "")}/files/0`,
    );
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG);

    await ask(`POST ${at}/send`, { kind: "text", text: "first" });
    const first = (await ask<Conversation>(`GET ${at}`)).messages.at(-1);
    if (phone.quotes) {
      await ask(`POST ${at}/send`, { kind: "text", text: "second", reply_to: first?.id });
      const second = (await ask<Conversation>(`GET ${at}`)).messages.at(-1);
      if (messenger !== "instagram") expect(second?.quote).toEqual({ id: first?.id, text: "first" });
    }
    const changed = async () =>
      (await ask<Conversation>(`GET ${at}`)).messages.find(({ id }) => id === first?.id);
    if (phone.acts.edit !== undefined) {
      await ask(`POST ${at}/edit`, { message: first?.id, text: "changed" });
      expect((await changed())?.text).toBe("changed");
    }
    if (phone.acts.react !== undefined) {
      await ask(`POST ${at}/react`, { message: first?.id, emoji: phone.reactions[0] });
      const shown = (await changed())?.reactions.map((each) => each.replace(/\uFE0F$/, ""));
      expect(shown).toEqual([phone.reactions[0]?.replace(/\uFE0F$/, "")]);
    }
    if (phone.acts.delete !== undefined) {
      await ask(`POST ${at}/delete`, { message: first?.id });
      expect((await changed())?.deleted ?? true).toBe(true);
    }
  });

  test("a block is shown", async () => {
    const { at } = await sit(messenger);
    if (phone.acts.block === undefined) return;
    await ask(`POST ${at}/block`);
    expect((await ask<Conversation>(`GET ${at}`)).blocked).toBe(true);
    await ask(`POST ${at}/unblock`);
    expect((await ask<Conversation>(`GET ${at}`)).blocked).toBe(false);
  });

  test("each lasting fault is turned on and off", async () => {
    const { person, chat } = await sit(messenger);
    const before = await ask<{ items: Trouble[] }>(`GET /${messenger}/troubles`);
    expect(before.items.length).toBeGreaterThan(2);
    for (const { name, lasts } of before.items) {
      // A person without a linked client has no connection that could break.
      if (lasts === "once" || name === "freeze") continue;
      const set = (on: boolean) =>
        ask<{ items: Trouble[] }>(`POST /${messenger}/troubles/${name}`, {
          on,
          person: person.id,
          chat: chat.id,
        });
      const isOn = (page: { items: Trouble[] }) => page.items.find((each) => each.name === name)?.on;
      expect(isOn(await set(true)), name).toBe(true);
      expect(isOn(await set(true)), name).toBe(true);
      expect(isOn(await set(false)), name).toBe(false);
    }
    expect(await ask(`GET /${messenger}/troubles`)).toEqual(before);
  });

  test("a new person is added and writes", async () => {
    await ask(`POST /${messenger}/people`, { name: "Vera", phone: "79995550101" });
    const { person, at } = await sit(messenger);
    expect(person.name).toMatch(/^Vera/);
    if ((await ask<Conversation>(`GET ${at}`)).unstarted) await ask(`POST ${at}/start`);
    const again = await sit(messenger);
    await ask(`POST ${again.at}/send`, { kind: "text", text: "hello" });
    const { messages } = await ask<Conversation>(`GET ${again.at}`);
    expect(messages.at(-1)).toMatchObject({ mine: true, text: "hello", state: "sent" });
    const list = again.at.slice(0, again.at.lastIndexOf("/"));
    const named = (chats: readonly Chat[]) =>
      chats.find(({ id }) => again.at.endsWith(encodeURIComponent(id)));
    const newest = named((await ask<{ items: Chat[] }>(`GET ${list}?newest=1`)).items)?.newest;
    expect(newest?.message).toMatchObject({ mine: true, text: "hello", look: "text" });
    expect(newest?.received).toBe(messages.filter(({ mine, look }) => !mine && look !== "system").length);
    expect(named((await ask<{ items: Chat[] }>(`GET ${list}`)).items)).not.toHaveProperty("newest");
  });
});

function checkContent(messenger: string, message: Message | undefined, look: Look): void {
  if (look === "text") expect(message?.text).toMatch(/^words of /);
  if (look === "place") expect(message).toMatchObject({ look, place: { latitude: 55.75, longitude: 37.62 } });
  if (look === "contact") expect(message?.contact?.name).toBe("Bob");
  if (look === "poll") expect(message?.text).toContain("○ Yes");
  if (FILES.includes(look) && !(messenger === "vk" && look === "video"))
    expect(message?.files.length).toBeGreaterThan(0);
  if (look !== "other")
    expect(message?.look === "audio" ? "voice" : message?.look).toBe(look === "audio" ? "voice" : look);
}

test.each([
  ["telegram", "calls", { method: "getUpdates" }, true],
  ["telegram", "calls", { method: "sendMessage" }, false],
  ["telegram", "calls", { method: "getUpdates", error_code: 401, description: "Unauthorized" }, false],
  ["maxbot", "calls", { method: "GET", path: "/updates" }, true],
  ["maxbot", "calls", { method: "POST", path: "/messages" }, false],
  ["max", "calls", { name: "PING" }, true],
  ["max", "acks", { opcode: 128 }, true],
  ["whatsapp", "iqs", { xmlns: "w:p" }, true],
  ["whatsapp", "acks", { class: "message" }, true],
  ["whatsapp", "acks", { class: "message", error: "479" }, false],
  ["whatsapp", "receipts", { type: "read" }, false],
])("%s: whether an entry of %s is routine: %j", (messenger, name, entry, expected) => {
  const log = phones.get(messenger)?.logs.find((each) => each.name === name);
  if (log === undefined) throw new Error(`there is no log ${name}`);
  expect(frameOf(log, { seq: 1, ...entry }).routine).toBe(expected);
});

test("a message is delivered once the gateway has taken it", async () => {
  const gateway = createServer((request, response) => {
    request.resume();
    response.end("{}");
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void gateway.close());
  const { port } = gateway.address() as AddressInfo;
  const set = await fetch(`${sandbox.url}/viber/pa/set_webhook`, {
    method: "POST",
    headers: { "X-Viber-Auth-Token": "4453b6ac1s345678-e02c5f12174805f9-demotrunklinesand" },
    body: JSON.stringify({ url: `http://127.0.0.1:${port}` }),
  });
  expect(await set.json()).toMatchObject({ status: 0 });
  const { at } = await sit("viber");
  await ask(`POST ${at}/send`, { kind: "text", text: "taken" });
  const state = async () => (await ask<Conversation>(`GET ${at}`)).messages.at(-1)?.state;
  await expect.poll(state, { timeout: 60_000 }).toBe("delivered");
});

test("network traffic is reported live, without keys", async () => {
  const abort = new AbortController();
  const stream = await fetch(`${sandbox.url}/admin/phone/telegram/live`, { signal: abort.signal });
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  const token = "1000001:demo-trunkline-sandbox-token-0000000000";
  await fetch(`${sandbox.url}/telegram/bot${token}/sendMessage`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ chat_id: 111, text: "from the gateway" }),
  });
  const reader = (stream.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let told = "";
  while (!told.includes("from the gateway") || !told.includes("event: changed"))
    told += (await reader.read()).value ?? "";
  expect(told).toContain('"title":"sendMessage"');
  expect(told).not.toContain(token);
  abort.abort();
});

test.each([
  [
    { access_token: "abc", text: "abc" },
    { access_token: "…", text: "abc" },
  ],
  [
    { message_token: "5", "X-Viber-Auth-Token": "k" },
    { message_token: "5", "X-Viber-Auth-Token": "…" },
  ],
  [{ url: "https://x/bot12:aaaaaaaaaaaaaaaaaaaaaaaa/getMe" }, { url: "https://x/bot12:…/getMe" }],
  [{ path: "/a?access_token=secret&b=1" }, { path: "/a?access_token=…&b=1" }],
  [
    { list: [{ password: "p" }], n: 1, none: null },
    { list: [{ password: "…" }], n: 1, none: null },
  ],
])("%j is shown as %j", (value, expected) => {
  expect(redact(value)).toEqual(expected);
});

test.each([
  [{}, 200],
  [{ origin: "OWN" }, 200],
  [{ origin: "http://evil.example" }, 403],
  [{ origin: "null" }, 403],
  [{ host: "evil.example:8090" }, 403],
])("the admin API responds to a request with %j by %i", async (headers: Record<string, string>, status) => {
  const { request } = await import("node:http");
  const sent = headers["origin"] === "OWN" ? { origin: sandbox.url } : headers;
  const got = await new Promise<number | undefined>((resolve, reject) => {
    request(`${sandbox.url}/admin/telegram/bots`, { headers: sent }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
  expect(got).toBe(status);
});

test("a browser that opens the address gets the phone page, a program gets the list", async () => {
  const browser = await fetch(sandbox.url, { headers: { accept: "text/html" }, redirect: "manual" });
  expect([browser.status, browser.headers.get("location")]).toEqual([302, "/phone"]);
  const page = await fetch(`${sandbox.url}/phone`);
  expect(page.headers.get("content-security-policy")).toMatch(/script-src 'self'; style-src 'self';/);
  expect((await requestJson("GET", sandbox.url)).body).toMatchObject({
    phone: { url: `${sandbox.url}/phone` },
  });
  for (const name of ["/assets/..%2f..%2fpackage.json", "/assets/../../package.json", "/assets/none.js"])
    expect((await fetch(sandbox.url + name)).status).toBe(404);
});
