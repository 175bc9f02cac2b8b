import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Client, type Kit, newState, withWhatsapp } from "./test-kit.ts";

const [ann, bob] = ["79990000001", "79990000002"] as const;

async function openUnlinked({ admin, open }: Pick<Kit, "admin" | "open">) {
  await admin("POST /people", { phone: ann, name: "Ann" });
  const state = newState();
  const client = open(state);
  const { qr = "" } = await client.until((update) => update.qr !== undefined);
  return { state, client, qr };
}

/** The first response of the server to a matching query. */
function iqAnswer(client: Client, type: "result" | "error"): Promise<{ attrs: Record<string, string> }> {
  return new Promise((resolve) => client.socket.ws.once(`CB:iq,type:${type}`, resolve));
}

describe("linking by QR code", () => {
  test("scan, restart with 515, login, keys, history, routing on reconnect", () =>
    withWhatsapp(async ({ admin, open }) => {
      const { state, client, qr } = await openUnlinked({ admin, open });
      const scanned = await admin(`POST /people/${ann}/scans`, { qr });
      expect(scanned).toMatchObject({ linked: true, device: 1, jid: `${ann}:1@s.whatsapp.net` });
      expect(await client.closed()).toBe(515);
      expect(state.creds.me).toMatchObject({ id: `${ann}:1@s.whatsapp.net`, lid: "90000000000000:1@lid" });
      const second = open(state);
      await second.ready();
      expect(state.creds.myAppStateKeyId).toBeDefined();
      expect(await admin(`GET /people/${ann}/devices/1`)).toMatchObject({ online: true, pre_keys: 811 });
      second.close();
      await admin(`GET /events?phone=${ann}&event=closed&count=1`);
      await open(state).ready();
      const logins = await admin(`GET /events?phone=${ann}&event=login`);
      expect(logins).toMatchObject({ items: [{ detail: null }, { detail: "routed" }] });
      expect(await admin("GET /iqs?unknown=true")).toMatchObject({ count: 0 });
    }));

  test("a revoked secret no longer links, its replacement does", () =>
    withWhatsapp(async ({ admin, refused, open }) => {
      const { state, client, qr } = await openUnlinked({ admin, open });
      const told = new Promise((resolve) =>
        client.socket.ws.once("CB:notification,type:companion_reg_refresh", resolve),
      );
      await admin("POST /refreshes", { qr });
      await told;
      expect(await refused(`POST /people/${ann}/scans`, { qr })).toBe("409 retired_secret");
      state.creds.advSecretKey = randomBytes(32).toString("base64");
      const parts = qr.split(",");
      parts[3] = state.creds.advSecretKey;
      expect(await admin(`POST /people/${ann}/scans`, { qr: parts.join(",") })).toMatchObject({
        linked: true,
      });
    }));

  test("foreign codes, expired codes, and one device too many", () =>
    withWhatsapp(async (kit) => {
      const { refused, link } = kit;
      const { client, qr } = await openUnlinked(kit);
      expect(await refused(`POST /people/${ann}/scans`, { qr: "no code" })).toBe("400 invalid_field");
      const foreign = qr.replace(/,[^,]*,/, `,${randomBytes(32).toString("base64")},`);
      expect(await refused(`POST /people/${ann}/scans`, { qr: foreign })).toBe("409 foreign_qr");
      for (let device = 1; device <= 4; device++) await link(ann);
      expect(await refused(`POST /people/${ann}/scans`, { qr })).toBe("409 device_limit");
      client.close();
      await expect.poll(() => refused(`POST /people/${ann}/scans`, { qr })).toBe("410 expired_qr");
    }));
});

describe("history", () => {
  test("is pushed on request, with every conversation and the app-state keys", () =>
    withWhatsapp(async ({ admin, open }) => {
      await admin("POST /settings", { history: "manual" });
      await admin("POST /people", { phone: bob, name: "Bob" });
      const { state, client, qr } = await openUnlinked({ admin, open });
      await admin(`POST /people/${bob}/messages`, { to: ann, text: "long ago" });
      await admin(`POST /people/${ann}/scans`, { qr });
      await client.closed();
      const linked = open(state);
      await linked.until(({ receivedPendingNotifications }) => receivedPendingNotifications === true);
      expect(state.creds.myAppStateKeyId).toBeUndefined();
      await admin(`POST /people/${ann}/devices/1/history`);
      const { chats, messages } = await linked.next("messaging-history.set", (each) => each);
      expect(chats).toMatchObject([{ id: `${bob}@s.whatsapp.net`, name: "Bob" }]);
      expect(messages).toMatchObject([{ message: { conversation: "long ago" }, key: { fromMe: false } }]);
      await linked.ready();
      const number = await linked.socket.signalRepository.lidMapping.getPNForLID("90000000000000@lid");
      expect(number).toMatch(bob);
      expect(state.creds.myAppStateKeyId).toBeDefined();
    }));

  test("a device that was disconnected before it could use it gets it again", () =>
    withWhatsapp(async ({ admin, open }) => {
      const { state, client, qr } = await openUnlinked({ admin, open });
      await admin("POST /faults", { phone: ann, xmlns: "w:sync:app:state" });
      await admin(`POST /people/${ann}/scans`, { qr });
      await client.closed();
      const cut = open(state);
      await admin("GET /iqs?xmlns=w:sync:app:state&count=1");
      cut.close();
      await admin("GET /events?event=closed&count=1");
      await open(state).ready();
      expect(await admin("GET /iqs?xmlns=w:sync:app:state")).toMatchObject({ count: 2 });
    }));
});

describe("linking by code", () => {
  test("a wrong code is refused, the right one links", () =>
    withWhatsapp(async (kit) => {
      const { admin, refused, open } = kit;
      const { state, client } = await openUnlinked(kit);
      expect(await refused(`POST /people/${ann}/codes`, { code: "ABCD2345" })).toBe("410 expired_code");
      const answered = iqAnswer(client, "result");
      const code = await client.socket.requestPairingCode(ann);
      await answered;
      const wrong = code.startsWith("A") ? `B${code.slice(1)}` : `A${code.slice(1)}`;
      const told = iqAnswer(client, "error");
      expect(await refused(`POST /people/${ann}/codes`, { code: wrong })).toBe("422 wrong_code");
      expect((await told).attrs["type"]).toBe("error");
      const typed = `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase();
      expect(await admin(`POST /people/${ann}/codes`, { code: typed })).toMatchObject({ linked: true });
      expect(await client.closed()).toBe(515);
      const linked = open(state);
      await linked.ready();
      expect(state.creds.registered).toBe(true);
    }));

  test("a number without an account, and rate limiting", () =>
    withWhatsapp(async (kit) => {
      const { admin } = kit;
      const { client } = await openUnlinked(kit);
      const unknown = iqAnswer(client, "error");
      await client.socket.requestPairingCode("79995555555");
      await unknown;
      await admin("POST /faults", { xmlns: "md", error_code: 429 });
      const limited = iqAnswer(client, "error");
      await client.socket.requestPairingCode(ann);
      await limited;
      expect(await admin("GET /iqs?xmlns=md")).toMatchObject({ items: [{ error: 400 }, { error: 429 }] });
    }));
});

describe("the end of a connection", () => {
  const endings: readonly (readonly [string, string, object, number])[] = [
    ["logged in elsewhere", "POST /people/79990000001/devices/any/replacements", {}, 440],
    ["dropped", "POST /people/79990000001/devices/1/drops", {}, 428],
    ["stream error", "POST /people/79990000001/devices/1/errors", { code: 503 }, 503],
    ["failure", "POST /people/79990000001/devices/1/errors", { reason: 403 }, 403],
    ["unlinked on the phone", "DELETE /people/79990000001/devices/1", {}, 401],
  ];

  test.each(endings)("%s", (_, route, body, status) =>
    withWhatsapp(async ({ admin, link }) => {
      const client = await link(ann);
      await admin(route, route.startsWith("DELETE") ? undefined : body);
      expect(await client.closed()).toBe(status);
    }),
  );

  test("a second login replaces the first; after unlinking no login is possible", () =>
    withWhatsapp(async ({ admin, refused, open, link }) => {
      const first = await link(ann);
      const second = open(first.state);
      await second.ready();
      expect(await first.closed()).toBe(440);
      await admin("POST /faults", { phone: ann, login: true, error_code: 503 });
      second.close();
      expect(await open(first.state).closed()).toBe(503);
      await admin(`DELETE /people/${ann}/devices/1`);
      expect(await open(first.state).closed()).toBe(401);
      expect(await refused(`GET /people/${ann}/devices/1`)).toBe("404 not_found");
    }));

  test("a foreign key does not log in", () =>
    withWhatsapp(async ({ open, link }) => {
      const { state } = await link(ann);
      const thief = newState();
      thief.creds.me = { ...state.creds.me, id: state.creds.me?.id ?? "" };
      expect(await open(thief).closed()).toBe(401);
    }));

  test("a device that logs out is no longer linked", () =>
    withWhatsapp(async ({ admin, link }) => {
      const client = await link(ann);
      await client.socket.logout();
      await admin(`GET /events?event=unlinked&count=1`);
      expect(await admin(`GET /people/${ann}/devices`)).toEqual({ items: [] });
    }));

  test("a frozen server is silent, and resumes where it stopped", () =>
    withWhatsapp(async ({ admin, link }) => {
      const client = await link(ann);
      await admin(`POST /people/${ann}/devices/1/freezes`);
      const { last_seq: before } = await admin("GET /iqs?limit=1");
      const answer = client.socket.onWhatsApp(ann);
      const taken = admin(`GET /iqs?after=${before}&count=1&timeout_ms=200`);
      const silence = await Promise.race([answer, taken]);
      expect(silence).toMatchObject({ complete: false, count: 0 });
      await admin(`POST /people/${ann}/devices/1/thaws`);
      expect(await answer).toEqual([{ jid: `${ann}@s.whatsapp.net`, exists: true }]);
    }));
});
