import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hastySessions, linkAccount, startWhatsappStand, type WhatsappStand } from "../kit/whatsapp.ts";

/** The channel's phone stays offline while the emulator's clock advances by days. */

const DAY_S = 86_400;

let stand: WhatsappStand;

beforeAll(async () => {
  stand = await startWhatsappStand();
});
afterAll(() => stand.close());

test("a phone that is offline for 13 days is reported before WhatsApp ends the link, as is its return", async () => {
  const sessions = hastySessions();
  const account = await linkAccount(stand, sessions);
  const { phone } = account;
  const told = () =>
    account.events().flatMap((event) => {
      if (event.kind !== "link" || event.state.status !== "active") return [];
      return [event.state.phoneUnavailable === true];
    });
  const questions = async () => {
    const { items } = await stand.admin<{ items: unknown[] }>(`GET /sent?from=${phone}&category=peer`);
    return items.length;
  };
  /** The server sends its time at the login. */
  const letPass = async (days: number): Promise<void> => {
    await stand.admin("POST /time", { advance_seconds: days * DAY_S });
    account.mark();
    await stand.admin(`POST /people/${phone}/devices/any/drops`);
    await account.state("active");
  };
  await stand.admin(`POST /people/${phone}/absences`);
  await letPass(11);
  expect([await questions(), told()]).toEqual([0, [false]]);
  await letPass(1.1);
  await vi.waitUntil(async () => (await questions()) === 1, { interval: 20 });
  expect(told()).toEqual([false]);
  await letPass(1);
  expect(told()[0]).toBe(true);
  await account.session.close();
  await account.reopen();
  await account.state("active");
  expect(told()).toEqual([true]);
  await stand.admin(`DELETE /people/${phone}/absences`);
  await vi.waitUntil(() => told().at(-1) === false, { interval: 20 });
  expect(told()).toEqual([true, false]);
  // From now on the days count again, and a sent message makes the phone respond.
  await letPass(10);
  const ann = await stand.addPerson("Ann");
  const asked = await questions();
  await account.send(ann, "Hello");
  await stand.admin(`GET /people/${ann}/inbox?count=1&timeout_ms=30000`);
  await letPass(10);
  expect([await questions(), told()]).toEqual([asked, [false]]);
  await account.session.close();
});

test("a phone that is offline for over 14 days is unlinked", async () => {
  const sessions = hastySessions();
  const account = await linkAccount(stand, sessions);
  await stand.admin(`POST /people/${account.phone}/absences`);
  account.mark();
  await stand.admin("POST /time", { advance_seconds: 14 * DAY_S + 1 });
  await account.state("disabled", "unauthorized");
  await account.session.close();
});

test("the phone's receipt for our message to a group does not mark it as read", async () => {
  const sessions = hastySessions();
  const account = await linkAccount(stand, sessions);
  const ann = await stand.addPerson("Ann");
  const { id } = await stand.admin<{ id: string }>("POST /groups", {
    subject: "Friends",
    participants: [account.phone, ann],
  });
  const sent = await account.send(id.replace("@g.us", ""), "Hello all");
  const group = await account.wait("receipt", ({ ref }) => ref.externalId === sent.externalId);
  expect(group.status).toBe("delivered");
  await stand.admin(`POST /people/${ann}/reads`, {});
  await account.wait("receipt", ({ ref, status }) => ref.externalId === sent.externalId && status === "read");
  await account.session.close();
});
