import { describe, expect, test } from "vitest";
import { opcode } from "./opcode.ts";
import { ann, bob, userAgent, withMax } from "./test-kit.ts";

describe.each(["binary", "json"] as const)("with %s frames", (form) => {
  test("a QR code is scanned, asks for the password, and the token logs in", async () => {
    await withMax(async ({ admin, open, idOf }) => {
      await admin(`POST /people/${ann}/passwords`, { password: "horse", hint: "animal" });
      const client = await open({ form });
      const qr = await client.call(opcode.getQr, {});
      expect(qr["qrLink"]).toMatch(/^https:\/\/max\.ru\/:auth\/[0-9a-f-]{36}$/);
      expect(qr).toMatchObject({ pollingInterval: 5000, ttl: 120_000 });
      const { trackId } = qr;
      const before = await client.call(opcode.getQrStatus, { trackId });
      expect(before).toEqual({ status: { expiresAt: qr["expiresAt"] } });
      expect(await client.refusal(opcode.loginByQr, { trackId })).toBe("track.not.found");

      await admin(`POST /people/${ann}/scans`, { qr: qr["qrLink"] });
      const after = await client.call(opcode.getQrStatus, { trackId });
      expect(after["status"]?.["loginAvailable"]).toBe(true);
      const challenged = await client.call(opcode.loginByQr, { trackId });
      expect(challenged["passwordChallenge"]).toMatchObject({ hint: "animal" });
      const track = challenged["passwordChallenge"]?.["trackId"];
      const wrong = await client.exchange(opcode.loginCheckPassword, { trackId: track, password: "cow" });
      expect(wrong).toMatchObject({
        cmd: 3,
        payload: { error: "password2fa.wrong", message: "FAIL_WRONG_PASSWORD" },
      });
      const passed = await client.call(opcode.loginCheckPassword, { trackId: track, password: "horse" });

      const token = String(passed["tokenAttrs"]?.["LOGIN"]?.["token"]);
      const login = await client.logIn(token);
      expect(login).toMatchObject({
        profile: { contact: { id: await idOf(ann), phone: Number(ann), names: [{ name: "Ann" }] } },
        chats: [],
        contacts: [],
      });
      expect(await admin(`GET /people/${ann}/sessions`)).toMatchObject({
        items: [{ online: true, codec: form }],
      });
    });
  });

  test("a text is sent, confirmed and pushed", async () => {
    await withMax(async ({ admin, link, idOf }) => {
      const [client, bobs] = [await link(ann, { form }), await link(bob, { form, deviceId: "device-2" })];
      const chatId = Number(BigInt(await idOf(ann)) ^ BigInt(await idOf(bob)));
      const sent = await client.text(chatId, "привет ".repeat(20), 1_766_000_000_001);
      expect(sent["message"]).toMatchObject({ cid: 1_766_000_000_001, sender: await idOf(ann) });
      const id = String(sent["message"]?.["id"]);
      expect(id).toMatch(/^\d{18}$/);
      const told = await bobs.next(opcode.notifMessage);
      expect(told).toMatchObject({ chatId, unread: 1, message: { text: "привет ".repeat(20) } });
      expect(String(told["message"]?.["id"])).toBe(id);
      expect(told["message"]).not.toHaveProperty("cid");
      expect(await admin(`GET /people/${bob}/inbox?count=1`)).toMatchObject({
        items: [{ event: "message", from: ann, message_id: id }],
      });

      const again = await client.text(chatId, "another text", 1_766_000_000_001);
      expect(String(again["message"]?.["id"])).toBe(id);
      const answer = await admin(`POST /people/${bob}/messages`, { to: ann, text: "hello", reply_to: id });
      const heard = await client.next(opcode.notifMessage);
      expect(heard).toMatchObject({ chatId, message: { text: "hello", link: { type: "REPLY" } } });
      expect(String(heard["message"]?.["id"])).toBe(String(answer["message_id"]));
      expect(await admin(`GET /sent?count=2`)).toMatchObject({
        items: [
          { message_id: id, repeated: false },
          { message_id: id, repeated: true },
        ],
      });
    });
  });
});

test("QR codes expire, are valid once, and other people can scan them", async () => {
  await withMax(async ({ admin, refused, open }) => {
    const client = await open();
    const first = await client.call(opcode.getQr, {});
    await admin("POST /time", { advance_seconds: 121 });
    expect(await client.refusal(opcode.getQrStatus, { trackId: first["trackId"] })).toBe("track.not.found");
    expect(await refused(`POST /people/${ann}/scans`, { qr: first["qrLink"] })).toBe("410 expired_qr");
    const second = await client.call(opcode.getQr, {});
    expect(await refused(`POST /people/${ann}/scans`, { qr: "https://max.ru/:auth/x" })).toBe(
      "404 not_found",
    );
    await admin(`POST /people/${bob}/scans`, { qr: second["qrLink"] });
    expect(await refused(`POST /people/${ann}/scans`, { qr: second["qrLink"] })).toBe("409 used_qr");
    const { tokenAttrs } = await client.call(opcode.loginByQr, { trackId: second["trackId"] });
    expect(await client.refusal(opcode.loginByQr, { trackId: second["trackId"] })).toBe("track.not.found");
    const login = await client.logIn(String(tokenAttrs?.["LOGIN"]?.["token"]));
    expect(login["profile"]?.["contact"]?.["phone"]).toBe(Number(bob));
  });
});

test("too many wrong passwords end the login", async () => {
  await withMax(async ({ admin, open }) => {
    await admin(`POST /people/${ann}/passwords`, { password: "horse" });
    const client = await open();
    const qr = await client.call(opcode.getQr, {});
    await admin(`POST /people/${ann}/scans`, { qr: qr["qrLink"] });
    const { passwordChallenge } = await client.call(opcode.loginByQr, { trackId: qr["trackId"] });
    expect(passwordChallenge).not.toHaveProperty("hint");
    const attempt = { trackId: passwordChallenge?.["trackId"], password: "cow" };
    for (let time = 0; time < 4; time++)
      expect(await client.refusal(opcode.loginCheckPassword, attempt)).toBe("password2fa.wrong");
    expect(await client.refusal(opcode.loginCheckPassword, attempt)).toBe("password2fa.no.attempts");
    expect(await client.refusal(opcode.loginCheckPassword, attempt)).toBe("track.not.found");
  });
});

test("a code by SMS logs in, a wrong one does not, and their number is limited", async () => {
  await withMax(async ({ admin, open }) => {
    const client = await open();
    const start = { phone: `+${ann}`, type: "START_AUTH", language: "ru" };
    const asked = await client.call(opcode.authRequest, start);
    expect(asked).toMatchObject({ codeLength: 6 });
    const { items } = await admin("GET /events?event=code_sent&count=1");
    const verifyCode = String(items?.[0]?.["detail"]);
    const check = { token: asked["token"], authTokenType: "CHECK_CODE" };
    const wrong = verifyCode === "000000" ? "000001" : "000000";
    expect(await client.refusal(opcode.auth, { ...check, verifyCode: wrong })).toBe("verify.code.wrong");
    const passed = await client.call(opcode.auth, { ...check, verifyCode });
    await client.logIn(String(passed["tokenAttrs"]?.["LOGIN"]?.["token"]));
    expect(await client.refusal(opcode.authRequest, { ...start, phone: "79990009999" })).toBe(
      "error.phone.wrong",
    );
    for (let time = 0; time < 3; time++) await client.call(opcode.authRequest, start);
    expect(await client.refusal(opcode.authRequest, start)).toBe("error.limit.violate");
    await admin("POST /settings", { captcha: true });
    expect(await client.refusal(opcode.authRequest, start)).toBe("captcha.required");
  });
});

test("a token is refused without its device id, after a logout, after an end on the phone, and for a blocked profile", async () => {
  await withMax(async ({ admin, link, open }) => {
    const client = await link(ann);
    const { token } = client;
    const stranger = await open({ deviceId: "device-9" });
    const foreign = await stranger.exchange(opcode.login, { token });
    expect(foreign).toMatchObject({ payload: { error: "login.token", message: "FAIL_LOGIN_TOKEN" } });
    expect(await client.refusal(opcode.login, { token: "An_unknown" })).toBe("login.token");

    await admin(`POST /people/${ann}/bans`);
    expect(await client.closed).toBe(1000);
    expect(client.pushes.map((frame) => frame.opcode)).toEqual([opcode.logout]);
    expect(await (await open()).refusal(opcode.login, { token })).toBe("login.blocked");
    await admin(`POST /people/${ann}/unbans`);
    const back = await open();
    await back.logIn(token);

    await admin(`DELETE /people/${ann}/sessions/any`);
    await back.next(opcode.logout);
    await back.closed;
    expect(await (await open()).refusal(opcode.login, { token })).toBe("login.token");

    const another = await link(ann);
    await another.call(opcode.logout, {});
    expect(await another.refusal(opcode.sessionsInfo, {})).toBe("session.state");
    expect(await another.refusal(opcode.login, { token: another.token })).toBe("login.token");
  });
});

test("a login elsewhere can end the others; a second connection with a token ends the first", async () => {
  await withMax(async ({ admin, link, open }) => {
    const client = await link(ann);
    const second = await open();
    await second.logIn(client.token);
    expect(await client.closed).toBe(1000);
    expect((await second.call(opcode.sessionsInfo, {}))["sessions"]).toMatchObject([{ current: true }]);

    await admin(`POST /people/${ann}/logins`, { client: "Desktop" });
    expect((await second.call(opcode.sessionsInfo, {}))["sessions"]).toHaveLength(2);
    await admin(`POST /people/${ann}/logins`, { ends_others: true });
    await second.next(opcode.logout);
    const refused = await (await open()).exchange(opcode.login, { token: client.token });
    expect(refused.payload).toMatchObject({ error: "login.token", message: "FAIL_LOGOUT_ALL" });
  });
});

test("tokens rotate: the old one is valid until the new one is used", async () => {
  await withMax(async ({ admin, link, open }) => {
    const client = await link(ann);
    await admin("POST /settings", { rotate_tokens: true });
    const first = await (await open()).logIn(client.token);
    const lost = await (await open()).logIn(client.token);
    expect(lost["token"]).not.toBe(first["token"]);
    expect(await (await open()).refusal(opcode.login, { token: first["token"] })).toBe("login.token");
    await (await open()).logIn(String(lost["token"]));
    expect(await (await open()).refusal(opcode.login, { token: client.token })).toBe("login.token");
  });
});

test("only web clients of a current version and with the web client's origin are accepted", async () => {
  await withMax(async ({ open }) => {
    await expect(
      open({ origin: "https://example.com", bare: true }).then(({ ready }) => ready),
    ).rejects.toThrow();
    const early = await open({ bare: true });
    expect(await early.refusal(opcode.login, { token: "x" })).toBe("proto.state");
    expect(await early.closed).toBe(1008);
    const client = await open({ bare: true });
    const init = (changes: object) => ({ deviceId: "d", userAgent: { ...userAgent, ...changes } });
    expect(await client.refusal(opcode.sessionInit, init({ appVersion: "25.12.1" }))).toBe(
      "client.version.outdated",
    );
    expect(await client.refusal(opcode.sessionInit, init({ deviceType: "ANDROID" }))).toBe("proto.payload");
    expect(await client.refusal(opcode.sessionInit, init({ colour: "red" }))).toBe("proto.payload");
    expect(await client.refusal(opcode.sessionInit, { userAgent })).toBe("proto.payload");
    await client.call(opcode.sessionInit, init({}));
    expect(await client.refusal(opcode.msgSend, {})).toBe("session.state");
  });
});
