import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TransportEvent } from "../../src/core/transport/events.ts";
import {
  type Account,
  type Hosts,
  hastySessions,
  linkAccount,
  never,
  startWhatsappStand,
  type WhatsappStand,
} from "../kit/whatsapp.ts";

let stand: WhatsappStand;
let sessions: Hosts;
let account: Account;
let ann: string;
let bob: string;

beforeAll(async () => {
  stand = await startWhatsappStand();
  sessions = hastySessions();
  account = await linkAccount(stand, sessions);
  [ann, bob] = [await stand.addPerson("Ann"), await stand.addPerson("Bob")];
});
afterAll(async () => {
  await account?.session.close();
  await stand.close();
});

/** A group that Ann created with the account as a member; its updates count from here. */
async function newGroup(): Promise<{ id: string; chatId: string; change(body: object): Promise<unknown> }> {
  const participants = [ann, account.phone];
  const { id } = await stand.admin<{ id: string }>("POST /groups", { subject: "Team", participants });
  const chatId = id.replace("@g.us", "");
  await account.wait("members", ({ ref }) => ref.chatId === chatId);
  account.mark();
  return { id, chatId, change: (body) => stand.admin(`POST /groups/${id}/changes`, body) };
}

/** The updates reported for a group, in short form. */
function said(events: readonly TransportEvent[], chatId: string): string[] {
  return events.flatMap((event) => {
    if (event.kind === "message")
      return event.message.chatId === chatId && event.message.body.type === "text"
        ? [event.message.body.text]
        : [];
    if ((event.kind !== "group" && event.kind !== "members") || event.ref.chatId !== chatId) return [];
    const by = `by ${event.by?.name}`;
    if (event.kind === "members")
      return event.members.map(({ change, person }) => `${change} ${person.name} ${person.phone} ${by}`);
    if (event.isSeen === true) return [];
    return [`${event.title ?? (event.picture === null ? "no picture" : "a picture")} ${by}`];
  });
}

test("joins, departures and renames are reported, in order with the messages", async () => {
  const { id, chatId, change } = await newGroup();
  await stand.admin(`POST /people/${ann}/messages`, { to: id, text: "before" });
  await change({ action: "subject", value: "Crew" });
  await change({ action: "add", participants: [bob] });
  await stand.admin(`POST /people/${bob}/messages`, { to: id, text: "between" });
  await change({ action: "promote", participants: [bob] });
  await change({ action: "demote", participants: [bob], by: ann });
  await change({ action: "description", value: "not told on" });
  await change({ action: "remove", participants: [bob] });
  await change({ action: "remove", participants: [account.phone] });
  await account.wait(
    "members",
    ({ ref, members }) =>
      ref.chatId === chatId && members.some(({ person }) => person.phone === account.phone),
  );
  const shop = account.phone;
  expect(said(account.link.events, chatId)).toEqual([
    `added ${shop} ${shop} by Ann`,
    "before",
    "Crew by Ann",
    `added ${bob} ${bob} by Ann`,
    "between",
    `promoted ${bob} ${bob} by Ann`,
    `demoted ${bob} ${bob} by Ann`,
    `removed ${bob} ${bob} by Ann`,
    `removed ${shop} ${shop} by Ann`,
  ]);
});

test("a group known only from a message is looked up, and its name is reported", async () => {
  const { id, chatId } = await newGroup();
  await stand.admin(`POST /people/${ann}/messages`, { to: id, text: "hello" });
  await account.message(({ body }) => body.type === "text" && body.text === "hello");
  const own = account.events().filter((event) => "ref" in event && event.ref.chatId === chatId);
  expect(own).toMatchObject([{ kind: "group", title: "Team", isSeen: true }]);
});

test("changes by others, and by the account's own phone", async () => {
  const { id, chatId } = await newGroup();
  for (const writer of [ann, account.phone]) {
    account.mark();
    const written = { to: id, text: "typo" };
    const { message_id } = await stand.admin<{ message_id: string }>(
      `POST /people/${writer}/messages`,
      written,
    );
    await stand.admin(`POST /people/${writer}/edits`, { message_id, text: "no typo" });
    const { ref, body } = await account.wait("edited");
    expect({ ref, body }).toMatchObject({
      ref: { chatId, externalId: message_id },
      body: { text: "no typo" },
    });
  }
});

test("changes while the channel is offline are reported afterwards", async () => {
  const { id, chatId, change } = await newGroup();
  await account.session.close();
  await change({ action: "subject", value: "Crew" });
  await stand.admin(`POST /people/${ann}/messages`, { to: id, text: "anybody?" });
  await change({ action: "subject", value: "Gang" });
  await change({ action: "remove", participants: [ann], by: ann });
  await account.reopen();
  await account.wait("members", ({ ref }) => ref.chatId === chatId);
  const told = said(account.link.events, chatId).slice(-4);
  expect(told).toEqual(["Crew by Ann", "anybody?", "Gang by Ann", `left Ann ${ann} by Ann`]);
});

test("a group's picture can be opened, and its removal is reported", async () => {
  const { id, chatId } = await newGroup();
  const bytes = Buffer.from("a picture of all");
  await stand.admin(`POST /groups/${id}/photos`, { base64: bytes.toString("base64") });
  const { picture } = await account.wait("group", (event) => event.picture != null);
  if (picture == null) throw new Error("no picture");
  const opened = await account.session.openFile?.(picture, never);
  expect(opened).toMatchObject({ mimeType: "image/jpeg" });
  expect(await buffer(opened?.stream ?? Readable.from([]))).toEqual(bytes);
  account.mark();
  await stand.admin(`DELETE /groups/${id}/photos`);
  const gone = await account.wait("group", (event) => event.picture === null);
  expect(gone.ref).toMatchObject({ chatType: "whatsgroup", chatId });
  await expect(account.session.openFile?.(picture, never)).rejects.toMatchObject({ retry: "never" });
});

test("if a worker dies before an update is stored, the update is reported afterwards", async () => {
  const { chatId, change } = await newGroup();
  const { promise: hung, resolve: tellHung } = Promise.withResolvers<void>();
  account.link.onEmit(async ({ kind }) => {
    if (kind !== "group") return;
    tellHung();
    await new Promise(() => undefined);
  });
  await change({ action: "subject", value: "Crew" });
  await hung;
  expect((await account.link.vault.readAll("notice")).size).toBe(1);
  account.mark();
  account.link.onEmit(null);
  for (const { pid } of sessions.usage()) process.kill(pid, "SIGKILL");
  const renamed = await account.wait("group", ({ ref, isSeen }) => ref.chatId === chatId && isSeen !== true);
  expect(renamed).toMatchObject({ title: "Crew", by: { name: "Ann", phone: ann } });
  await vi.waitUntil(async () => (await account.link.vault.readAll("notice")).size === 0);
});
