import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readQr } from "../../sandbox/qr-reader.ts";
import { type AssertionQuirks, SoftwareAuthenticator } from "../../sandbox/whatsapp/passkey/authenticator.ts";
import type { LinkState } from "../../src/core/transport/events.ts";
import type { PasskeyPrompt } from "../../src/core/transport/login.ts";
import {
  type Account,
  type Hosts,
  hastySessions,
  openAccount,
  startWhatsappStand,
  type WhatsappStand,
} from "../kit/whatsapp.ts";

let stand: WhatsappStand;
let sessions: Hosts;

beforeAll(async () => {
  stand = await startWhatsappStand();
  sessions = hastySessions();
});
afterAll(() => stand.close());

interface Gated {
  readonly account: Account;
  readonly authenticator: SoftwareAuthenticator;
}

/** A channel that is not linked yet, of an account whose passkey is required. */
async function openGated(hasty?: "late" | "silent"): Promise<Gated> {
  const authenticator = new SoftwareAuthenticator();
  const account = await openAccount(stand, sessions, hasty === undefined ? {} : { hasty });
  onTestFinished(() => account.session.close());
  const { id, publicKey: public_key } = authenticator;
  await stand.admin(`POST /people/${account.phone}/passkeys`, { id, public_key });
  await stand.admin(`POST /people/${account.phone}/gates`, { passkey: "passkey" });
  return { account, authenticator };
}

/** The phone scans the code; resolves with what the channel asks for. */
async function scanGated({ account }: Gated): Promise<PasskeyPrompt> {
  const { state } = await account.wait("link", isQr);
  const qr = "qr" in state ? readQr(state.qr) : "";
  const scanned = await stand.admin(`POST /people/${account.phone}/scans`, { qr });
  expect(scanned).toEqual({ linked: false, waits_for: "passkey" });
  return prompt(account);
}

async function prompt(account: Account): Promise<PasskeyPrompt> {
  const state = await account.state("init", "wait_for_passkey");
  if (!("passkey" in state)) throw new Error("no passkey is asked for");
  return state.passkey;
}

/** The answer of the account's passkey, as text. */
function sign({ authenticator }: Gated, { request }: PasskeyPrompt, quirks?: AssertionQuirks): string {
  return JSON.stringify(authenticator.answer(request as { challenge: string; rpId: string }, quirks));
}

const give = ({ account }: Gated, value: string) => account.session.answer?.({ kind: "passkey", value });

/** Events of later connections only. */
function isQr({ state }: { readonly state: LinkState }): boolean {
  return "reason" in state && state.reason === "qr";
}

async function problemOf({ account }: Gated): Promise<string> {
  const { state } = await account.wait("link", ({ state }) => "problem" in state);
  return "problem" in state ? String(state.problem) : "";
}

describe("an account whose passkey is required", () => {
  test("is linked by QR code: the proof of the code makes a comparison unnecessary", async () => {
    const gated = await openGated();
    const asked = await scanGated(gated);
    expect(asked).toMatchObject({
      site: "https://web.whatsapp.com/",
      request: { rpId: "whatsapp.com", userVerification: "required" },
    });
    expect(asked.promptMs).toBeGreaterThan(0);
    expect(await give(gated, sign(gated, asked))).toEqual({});
    await gated.account.state("active");
    const states = gated.account.events().flatMap((event) => (event.kind === "link" ? [event.state] : []));
    expect(states.some((state) => "compare" in state)).toBe(false);
  });

  test("is linked by pairing code, also if the pushed request cannot be parsed", async () => {
    await stand.admin("POST /settings", { passkey_options: "malformed" });
    const gated = await openGated();
    const { account } = gated;
    await account.wait("link", isQr);
    const reply = await account.session.answer?.({ kind: "pairingCode", value: account.phone });
    await stand.admin(`POST /people/${account.phone}/codes`, { code: reply?.code ?? "" });
    const asked = await prompt(account);
    await stand.admin("POST /settings", { passkey_options: "whole" });
    await give(gated, sign(gated, asked));
    await account.state("active");
  });

  test("without the proof, a person compares the codes; afterwards no ceremony is needed where none is asked for", async () => {
    const gated = await openGated("late");
    const { account } = gated;
    const asked = await scanGated(gated);
    expect(asked.promptMs).toBe(0);
    await give(gated, sign(gated, asked));
    const state = await account.state("init", "wait_for_code");
    const { code } = await stand.admin<{ code: string }>(`GET /people/${account.phone}/linking`);
    expect(state).toMatchObject({ compare: code });
    await expect(account.session.answer?.({ kind: "code", value: "1111-1111" })).rejects.toMatchObject({
      reason: "wrong",
    });
    await account.session.answer?.({ kind: "code", value: code.replace("-", "").toLowerCase() });
    await stand.admin(`POST /people/${account.phone}/linking/comparisons`, { same: true });
    await account.state("active");

    await stand.admin(`POST /people/${account.phone}/gates`, { passkey: "none" });
    await stand.admin(`DELETE /people/${account.phone}/devices/any`);
    await account.state("disabled", "unauthorized");
    await account.session.close();
    await account.reopen();
    const again = await account.wait("link", isQr);
    await stand.admin(`POST /people/${account.phone}/scans`, {
      qr: "qr" in again.state ? readQr(again.state.qr) : "",
    });
    await account.state("active");
    expect(account.events().some((event) => event.kind === "link" && "passkey" in event.state)).toBe(false);
  });
});

describe("a failed linking starts over with a new code, and says why", () => {
  test("refused by the messenger; then the same person succeeds", async () => {
    const gated = await openGated();
    const asked = await scanGated(gated);
    // What cannot work is refused here, and does not end the linking.
    await expect(give(gated, sign(gated, asked, { origin: "https://crm.example" }))).rejects.toMatchObject({
      reason: "wrong",
      fault: "wrong_site",
    });
    gated.account.mark();
    const answered = give(gated, sign(gated, asked, { spoilSignature: true }));
    await expect(answered).rejects.toMatchObject({ reason: "wrong", fault: "refused" });
    expect(await problemOf(gated)).toBe("refused");
    await give(gated, sign(gated, await scanGated(gated)));
    await gated.account.state("active");
  });

  test("expired", async () => {
    await stand.admin("POST /settings", { passkey_ms: 1_000 });
    const gated = await openGated();
    const asked = await scanGated(gated);
    await stand.admin("POST /settings", { passkey_ms: 600_000 });
    expect(await problemOf(gated)).toBe("expired");
    await expect(give(gated, sign(gated, asked))).rejects.toMatchObject({ reason: "not_expected" });
  });

  test("the phone does not continue", async () => {
    await stand.admin("POST /settings", { passkey_phone: "held" });
    const gated = await openGated("silent");
    await give(gated, sign(gated, await scanGated(gated)));
    expect(await problemOf(gated)).toBe("silent");
    await stand.admin("POST /settings", { passkey_phone: "auto" });
  });

  test("the phone shows another code", async () => {
    const gated = await openGated("late");
    const { account } = gated;
    await give(gated, sign(gated, await scanGated(gated)));
    const state = await account.state("init", "wait_for_code");
    await stand.admin(`POST /people/${account.phone}/linking/comparisons`, { same: false });
    const compared = account.session.answer?.({
      kind: "code",
      value: "compare" in state ? (state.compare ?? "") : "",
    });
    await expect(compared).rejects.toMatchObject({ fault: "refused" });
    expect(await problemOf(gated)).toBe("refused");
  });

  test("the connection breaks: before the answer, while the phone is awaited, and while codes are compared", async () => {
    const gated = await openGated("late");
    const { account } = gated;
    const drop = async (): Promise<string> => {
      account.mark();
      await stand.admin(`POST /people/${account.phone}/linking/drops`);
      return problemOf(gated);
    };
    await scanGated(gated);
    expect(await drop()).toBe("interrupted");

    await stand.admin("POST /settings", { passkey_phone: "held" });
    await give(gated, sign(gated, await scanGated(gated)));
    expect(await drop()).toBe("interrupted");
    await stand.admin("POST /settings", { passkey_phone: "auto" });

    await give(gated, sign(gated, await scanGated(gated)));
    const state = await account.state("init", "wait_for_code");
    expect(await drop()).toBe("interrupted");
    const value = "compare" in state ? (state.compare ?? "") : "";
    const compared = account.session.answer?.({ kind: "code", value });
    await expect(compared).rejects.toMatchObject({ reason: "not_expected" });
  });

  test("the worker ends in between: the code of the next one is scanned again", async () => {
    const gated = await openGated();
    const asked = await scanGated(gated);
    await gated.account.session.close();
    await gated.account.reopen();
    await gated.account.wait("link", isQr);
    await expect(give(gated, sign(gated, asked))).rejects.toMatchObject({ reason: "not_expected" });
    await give(gated, sign(gated, await scanGated(gated)));
    await gated.account.state("active");
  });
});
