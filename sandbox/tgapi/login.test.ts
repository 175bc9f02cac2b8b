import { expect, test, vi } from "vitest";
import { ann, bob, refusal, until, withTgapi } from "./test-kit.ts";

const carol = "79990000003";

test("a QR code is renewed until it is scanned; expired and used ones are refused", async () => {
  await withTgapi(async ({ admin, refused, open }) => {
    await admin("POST /settings", { token_seconds: 1 });
    const { tg } = open();
    const codes: string[] = [];
    const login = tg.signInQr({ onUrlUpdated: (qr) => void codes.push(qr) });
    await until("third code", () => codes[2]);
    expect(new Set(codes).size).toBe(codes.length);
    expect(await refused(`POST /people/${ann}/scans`, { qr: codes[0] })).toBe("410 expired_token");
    await admin("POST /settings", { token_seconds: 30 });
    // The last code with the short lifetime may be taken for the lasting one.
    const qr = await vi.waitFor(async () => {
      const last = codes.at(-1);
      await admin(`POST /people/${ann}/scans`, { qr: last });
      return last;
    });
    expect(await refused(`POST /people/${bob}/scans`, { qr })).toMatch(/409|410/);
    expect((await login).phoneNumber).toBe(ann);
  });
});

test("a cloud password is requested with its hint, refused if wrong, and accepted if right", async () => {
  await withTgapi(async ({ admin, open }) => {
    await admin("POST /people", { phone: ann, password: "right", hint: "not left" });
    const { tg } = open();
    let asked = 0;
    let wrong = 0;
    const me = await tg.signInQr({
      onUrlUpdated: (qr) => void admin(`POST /people/${ann}/scans`, { qr }),
      password: async () => (asked++ === 0 ? "wrong" : "right"),
      invalidPasswordCallback: () => void wrong++,
    });
    expect([me.phoneNumber, asked, wrong]).toEqual([ann, 2, 1]);
    expect(await tg.getPasswordHint()).toBe("not left");
    const errors = (await admin("GET /calls?method=auth.checkPassword"))["items"];
    expect(errors).toMatchObject([{ error: "PASSWORD_HASH_INVALID" }, { error: null }]);
  });
});

test("a code is sent to the number: wrong ones are refused, late ones have expired", async () => {
  await withTgapi(async ({ admin, open }) => {
    const { tg } = open();
    expect(await refusal(tg.sendCode({ phone: "123" }))).toBe("400 PHONE_NUMBER_INVALID");
    expect(await refusal(tg.sendCode({ phone: "4915550000" }))).toBe("400 PHONE_NUMBER_UNOCCUPIED");
    const sent = await tg.sendCode({ phone: ann });
    if (!("phoneCodeHash" in sent)) throw new Error("logged in without a code");
    const signIn = (phoneCode: string, { phoneCodeHash } = sent) =>
      tg.signIn({ phone: ann, phoneCodeHash, phoneCode });
    const [{ code }] = (await admin(`GET /people/${ann}/codes`))["items"] as unknown as [{ code: string }];
    expect(await refusal(signIn(code === "00000" ? "11111" : "00000"))).toBe("400 PHONE_CODE_INVALID");
    await admin("POST /time", { advance_seconds: 400 });
    expect(await refusal(signIn(code))).toBe("400 PHONE_CODE_EXPIRED");
    const again = await tg.sendCode({ phone: ann });
    if (!("phoneCodeHash" in again)) throw new Error("logged in without a code");
    const codes = (await admin(`GET /people/${ann}/codes`))["items"] as unknown as { code: string }[];
    expect((await signIn(codes.at(-1)?.code ?? "", again)).phoneNumber).toBe(ann);
  });
});

test("an account of the other data centre is migrated there, by QR code and by number", async () => {
  await withTgapi(async ({ admin, login, open }) => {
    await admin("POST /people", { phone: carol, first_name: "Carol", home_dc: 4 });
    const { tg } = await login(carol);
    expect((await tg.getMe()).phoneNumber).toBe(carol);
    await tg.sendText("bob_demo", "from afar");
    expect(await admin(`GET /people/${bob}/inbox?count=1`)).toMatchObject({ items: [{ text: "from afar" }] });
    const other = open();
    await other.tg.sendCode({ phone: carol });
    const refusals = (await admin("GET /calls?error=PHONE_MIGRATE_4"))["items"];
    expect(refusals).toMatchObject([{ method: "auth.sendCode", dc: 2 }]);
  });
});

test("logins are listed and ended; a duplicate key, a ban and a deletion end all of them", async () => {
  await withTgapi(async ({ admin, login }) => {
    const ask = (tg: { getMe(): Promise<unknown> }) => refusal(tg.getMe());
    const first = await login(ann);
    const second = await login(ann);
    const listed = await first.tg.call({ _: "account.getAuthorizations" });
    expect(listed.authorizations.map(({ current }) => current)).toEqual([true, false]);
    const hash = listed.authorizations[1]?.hash;
    if (!hash) throw new Error("no second login");
    await first.tg.call({ _: "account.resetAuthorization", hash });
    expect(await ask(second.tg)).toBe("401 SESSION_REVOKED");
    await admin(`DELETE /people/${ann}/sessions/any`);
    await until("notice", async () =>
      (await ask(first.tg)) === "401 AUTH_KEY_UNREGISTERED" ? true : undefined,
    );
    const third = await login(ann);
    await admin(`POST /people/${ann}/sessions/any/duplicates`);
    expect(await ask(third.tg)).toBe("406 AUTH_KEY_DUPLICATED");
    const fourth = await login(bob);
    await admin(`POST /people/${bob}/bans`);
    expect(await ask(fourth.tg)).toBe("401 USER_DEACTIVATED_BAN");
  });
});
