import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { LoginAnswer } from "../../../src/core/channel/link/login.ts";
import { answerRequest, waitingRequests } from "../../../src/core/channel/session-requests.ts";
import { call, outcome } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

const channel = (reason: string): Promise<string> =>
  addChannel(node, account, { transport: "whatsapp", status: "init", reason });

/** What the node that holds the session does, once the request has arrived there. */
async function answerNext(channelId: string, answer: LoginAnswer): Promise<object> {
  const request = await vi.waitUntil(
    async () => (await waitingRequests(node.core, (each) => each.channelId === channelId))[0],
    { interval: 10 },
  );
  await answerRequest(node.core, request, answer);
  return request.body as object;
}

const pairing = (id: string, phone?: string) =>
  call(node, "POST", `/v2/channels/${id}/pairing-code`, {
    token: account.access,
    body: { transport: "whatsapp", ...(phone === undefined ? {} : { pairing_phone: phone }) },
  });
const password = (id: string, code: string) =>
  call(node, "POST", `/v2/channels/${id}/auth/2fa`, {
    token: account.access,
    body: { transport: "whatsapp", two_factor_code: code },
  });

describe("pairing code", () => {
  test("comes from the session", async () => {
    const id = await channel("qr");
    const done: LoginAnswer = { kind: "done", code: "ABCD1234", phone: "79991112233" };
    const [answer, step] = await Promise.all([pairing(id, "+7 (999) 111-22-33"), answerNext(id, done)]);
    expect(step).toEqual({ kind: "pairingCode", value: "79991112233" });
    expect((answer.json as { data: unknown }).data).toEqual([
      { pairing_code: "ABCD1234", pairing_phone: "79991112233" },
    ]);
  });

  test("is sent by the messenger, if it supports that, and submitted like a password", async () => {
    const id = await addChannel(node, account, { transport: "viber", status: "init", reason: "qr" });
    const ask = (path: string, body: object) =>
      call(node, "POST", `/v2/channels/${id}/${path}`, {
        token: account.access,
        body: { transport: "viber", ...body },
      });
    const begin = ask("pairing-code", { pairing_phone: "79991112233" });
    const [answer, step] = await Promise.all([begin, answerNext(id, { kind: "done" })]);
    expect(step).toEqual({ kind: "phone", value: "79991112233" });
    expect((answer.json as { data: unknown }).data).toEqual([
      { pairing_code: "", pairing_phone: "79991112233" },
    ]);
    await node.db.query("update channels set reason = 'wait_for_code' where id = $1", [id]);
    node.core.caches.channels.delete(id);
    const given = ask("auth/2fa", { two_factor_code: "12345" });
    const [, code] = await Promise.all([given, answerNext(id, { kind: "done" })]);
    expect(code).toEqual({ kind: "code", value: "12345" });
  });

  test("is for the channel's own phone by default", async () => {
    const id = await channel("qr");
    const done: LoginAnswer = { kind: "done", code: "ABCD1234", phone: "79990001122" };
    const [, step] = await Promise.all([pairing(id), answerNext(id, done)]);
    expect(step).toEqual({ kind: "pairingCode", value: "79990001122" });
  });

  test.each([
    ["not_expected", "400 QR_EXPIRED"],
    ["wrong", "400 VALIDATION_ERROR pairing_phone"],
    ["too_often", "429 TOO_MANY_REQUESTS"],
    ["unavailable", "503 MESSENGER_UNAVAILABLE"],
  ] as const)("%s: %s", async (reason, expected) => {
    const id = await channel("qr");
    const refused: LoginAnswer = { kind: "refused", reason, description: "no" };
    const [answer] = await Promise.all([pairing(id, "79991112233"), answerNext(id, refused)]);
    expect(outcome(answer)).toBe(expected);
    expect(answer.headers["retry-after"]).toBe({ too_often: "60", unavailable: "10" }[reason as string]);
  });

  test.each(["7 999", "x", "1".repeat(16)])("no number: %j", async (phone) => {
    expect(outcome(await pairing(await channel("qr"), phone))).toBe("400 VALIDATION_ERROR pairing_phone");
  });

  test("a channel without a number needs one", async () => {
    const id = await channel("qr");
    await node.db.query("update channels set phone = '' where id = $1", [id]);
    expect(outcome(await pairing(id))).toBe("400 VALIDATION_ERROR pairing_phone");
  });

  test("a connected channel needs no code", async () => {
    const id = await addChannel(node, account, { transport: "whatsapp" });
    expect(outcome(await pairing(id, "79991112233"))).toBe("400 PAIRING_NOT_EXPECTED");
  });

  test("without a QR code there is no pairing code", async () => {
    expect(outcome(await pairing(await channel("sync"), "79991112233"))).toBe("400 QR_EXPIRED");
  });
});

describe("passkey", () => {
  const given = {
    rawId: "AAAA",
    response: { clientDataJSON: "e30", authenticatorData: "AAAA", signature: "AAAA" },
    authenticatorAttachment: "platform",
  };
  const submit = (id: string, answer: object = given) =>
    call(node, "POST", `/v2/channels/${id}/auth/passkey`, {
      token: account.access,
      body: { transport: "whatsapp", passkey_response: answer },
    });
  const show = (id: string, token = account.access) =>
    call(node, "GET", `/v2/channels/${id}/auth/passkey`, { token });
  const waiting = async (reason: string, prompt: object): Promise<string> => {
    const id = await channel(reason);
    await node.db.query("update channels set login_prompt = $2 where id = $1", [id, JSON.stringify(prompt)]);
    return id;
  };
  const asked = (): Promise<string> => {
    const until = Date.now() + 600_000;
    const request = { challenge: "AAAA", rpId: "whatsapp.com" };
    const passkey = { site: "https://web.whatsapp.com/", request, expiresAt: until, promptUntil: until };
    return waiting("wait_for_passkey", { passkey });
  };

  test("its request is shown, and its answer passed on", async () => {
    const id = await asked();
    const { json } = await show(id);
    expect(json).toMatchObject({
      data: { site: "https://web.whatsapp.com/", request: { challenge: "AAAA" }, compare_code: null },
    });
    const [answer, step] = await Promise.all([submit(id), answerNext(id, { kind: "done" })]);
    expect(outcome(answer)).toBe("200");
    expect(step).toMatchObject({ kind: "passkey" });
    expect(JSON.parse((step as { value: string }).value)).toMatchObject(given);
  });

  test("an answer that is larger than any passkey's is refused here", async () => {
    const id = await asked();
    const { status, json } = await submit(id, { ...given, more: "x".repeat(16 * 1024) });
    expect([status, json]).toMatchObject([400, { error: "PASSKEY_REFUSED", data: { reason: "malformed" } }]);
    expect(await node.db.query("select 1 from session_requests where channel_id = $1", [id])).toEqual([]);
  });

  test("then the code to compare is shown", async () => {
    const { json } = await show(await waiting("wait_for_code", { compare: "ABCD-1234" }));
    expect(json).toMatchObject({ data: { site: null, request: null, compare_code: "ABCD-1234" } });
  });

  test.each<[LoginAnswer & { kind: "refused" }, string, object | undefined]>([
    [
      { kind: "refused", reason: "wrong", description: "no", fault: "wrong_site" },
      "400 PASSKEY_REFUSED",
      { reason: "wrong_site" },
    ],
    [{ kind: "refused", reason: "not_expected", description: "no" }, "400 PASSKEY_NOT_EXPECTED", undefined],
    [{ kind: "refused", reason: "unavailable", description: "no" }, "503 MESSENGER_UNAVAILABLE", undefined],
  ])("%j: %s", async (said, expected, data) => {
    const id = await asked();
    const [answer] = await Promise.all([submit(id), answerNext(id, said)]);
    expect(outcome(answer)).toContain(expected);
    expect((answer.json as { data?: unknown }).data).toEqual(data);
  });

  test("none is expected, and why the last one failed", async () => {
    const id = await waiting("qr", { problem: "expired" });
    expect(outcome(await submit(id))).toBe("400 PASSKEY_NOT_EXPECTED");
    const { status, json } = await show(id);
    expect([status, json]).toMatchObject([
      400,
      { error: "PASSKEY_NOT_EXPECTED", data: { problem: "expired" } },
    ]);
  });

  test.each([
    ["nothing", {}],
    ["a number", { ...given, rawId: 1 }],
    ["no response", { ...given, response: {} }],
    ["too long", { ...given, rawId: "A".repeat(3_000) }],
  ])("no answer: %s", async (_, answer) => {
    expect(outcome(await submit(await asked(), answer))).toContain("400 VALIDATION_ERROR");
  });

  test("another account's channel is missing", async () => {
    const other = await addAccount(node.db);
    expect(outcome(await show(await asked(), other.access))).toBe("404 CHANNEL_NOT_FOUND");
  });
});

describe("password", () => {
  test.each<[LoginAnswer, string]>([
    [{ kind: "done" }, "200"],
    [{ kind: "refused", reason: "wrong", description: "no" }, "400 WRONG_PASSWORD"],
    [{ kind: "refused", reason: "not_expected", description: "no" }, "400 PASSWORD_NOT_EXPECTED"],
  ])("%j: %s", async (said, expected) => {
    const id = await channel("wait_for_password");
    const [answer, step] = await Promise.all([password(id, "s3cret"), answerNext(id, said)]);
    expect(step).toEqual({ kind: "password", value: "s3cret" });
    expect(outcome(answer)).toContain(expected);
  });

  test("or the messenger's code, if that is expected", async () => {
    const id = await channel("wait_for_code");
    const [answer, step] = await Promise.all([password(id, "12345"), answerNext(id, { kind: "done" })]);
    expect(step).toEqual({ kind: "code", value: "12345" });
    expect(outcome(answer)).toBe("200");
  });

  test("none is expected", async () => {
    expect(outcome(await password(await channel("qr"), "x"))).toBe("400 PASSWORD_NOT_EXPECTED");
  });

  test("nothing of it is stored", async () => {
    expect(await node.db.query("select id from session_requests")).toEqual([]);
  });
});
