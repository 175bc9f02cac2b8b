import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  answerRequest,
  type LoginAnswer,
  waitingRequests,
} from "../../../src/core/channel/link/login-requests.ts";
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
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const off = node.core.signals.on("logins", () => tell());
  const [early] = await waitingRequests(node.core, [channelId]);
  if (early === undefined) await told;
  off();
  const [request] = await waitingRequests(node.core, [channelId]);
  if (request === undefined) throw new Error("Nothing was asked of the session");
  await answerRequest(node.core, request, answer);
  return request.step;
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
