import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { TransportEvent } from "../../src/core/transport/events.ts";
import type { GroupChange, GroupPersonName } from "../../src/core/transport/groups.ts";
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

describe("groups of the account's own", () => {
  const GROUP_ID = "0b1e7d54-3f0a-4c5e-8b59-5e2d5f7c9a01";
  const groups = () => {
    const { groups: methods } = account.session;
    if (methods === undefined) throw new Error("The session has no groups");
    return methods;
  };
  const create = (people: readonly GroupPersonName[], name = "Order 5 🚚") =>
    groups().create({ id: GROUP_ID, name, people }, never);
  const change = (chatId: string, what: GroupChange) => groups().change(chatId, what, never);
  // The worker of the test before has died.
  beforeAll(() =>
    vi.waitUntil(() =>
      groups()
        .read("nonsense", never)
        .catch(({ name }: Error) => name === "GroupRefused"),
    ),
  );
  const stored = (chatId: string) =>
    stand.admin<{
      subject: string;
      picture: object | null;
      participants: { phone: string; rank: string | null }[];
    }>(`GET /groups/${chatId}@g.us`);

  test("a group is created with those who can be added, and messages go there at once", async () => {
    const shy = await stand.addPerson("Shy");
    await stand.admin(`POST /people/${shy}/behaviour`, { group_additions: "none" });
    account.mark();
    const people = [{ phone: ann }, { id: bob }, { phone: shy }, { phone: "79990099999" }];
    const { group, people: outcomes } = await create(people);
    expect(outcomes).toEqual([
      { person: { phone: ann }, id: ann, result: "done" },
      { person: { id: bob }, id: bob, result: "done" },
      { person: { phone: shy }, id: shy, result: "invitation_needed", data: "403" },
      { person: { phone: "79990099999" }, result: "unknown" },
    ]);
    expect(group).toMatchObject({ name: "Order 5 🚚", size: 3 });
    expect(group.members.map(({ id, role, isOwn = false }) => [id, role, isOwn])).toEqual([
      [account.phone, "owner", true],
      [ann, "member", false],
      [bob, "member", false],
    ]);
    expect((await stored(group.chatId)).participants.map(({ phone }) => phone)).toEqual([
      account.phone,
      ann,
      bob,
    ]);
    await account.send(group.chatId, "welcome");
    const inbox = await stand.admin<{ items: object[] }>(
      `GET /people/${bob}/inbox?chat=${group.chatId}@g.us&count=1&timeout_ms=30000`,
    );
    expect(inbox.items).toMatchObject([{ text: "welcome" }]);
    expect(await account.wait("members", ({ ref }) => ref.chatId === group.chatId)).toMatchObject({
      title: "Order 5 🚚",
      members: [{ change: "added", person: { id: account.phone } }],
    });
    expect(await groups().read(group.chatId, never)).toMatchObject({ name: "Order 5 🚚", size: 3 });
  });

  test("names, pictures, members and roles are changed, and reported like changes of others", async () => {
    const { group } = await create([{ phone: ann }], "Crew");
    const { chatId } = group;
    account.mark();
    expect(await change(chatId, { kind: "rename", name: "Team" })).toEqual([]);
    await account.wait("group", ({ ref, title }) => ref.chatId === chatId && title === "Team");
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1]);
    const file = {
      url: "",
      urlIsPublic: false,
      urlMimeType: "",
      name: "p.jpg",
      mimeType: "image/jpeg",
      size: 5,
    };
    const picture = { ...file, kind: "image" as const, open: () => Readable.from([jpeg]) };
    await change(chatId, { kind: "picture", picture });
    expect(await stored(chatId)).toMatchObject({ subject: "Team", picture: { id: "1" } });
    await account.wait("group", ({ ref, picture: news }) => ref.chatId === chatId && news != null);
    await change(chatId, { kind: "picture", picture: null });
    expect(await stored(chatId)).toMatchObject({ picture: null });
    const both = [{ phone: ann }, { id: bob }];
    expect(await change(chatId, { kind: "add", people: both })).toEqual([
      { person: { phone: ann }, id: ann, result: "already", data: "409" },
      { person: { id: bob }, id: bob, result: "done" },
    ]);
    await change(chatId, { kind: "promote", people: both });
    expect((await stored(chatId)).participants.map(({ rank }) => rank)).toEqual([
      "superadmin",
      "admin",
      "admin",
    ]);
    await change(chatId, { kind: "demote", people: [{ id: bob }] });
    expect(
      await change(chatId, { kind: "remove", people: [...both, { phone: account.phone }] }),
    ).toMatchObject([{ result: "done" }, { result: "done" }, { result: "protected" }]);
    expect(await change(chatId, { kind: "remove", people: [{ id: bob }] })).toEqual([
      { person: { id: bob }, result: "not_a_member" },
    ]);
    await account.wait("members", ({ members }) => members.some((each) => each.change === "removed"));
    expect(await groups().read(chatId, never)).toMatchObject({ size: 1 });
  });

  test("refusals have their causes", async () => {
    const refused = (reason: string) => expect.objectContaining({ name: "GroupRefused", reason });
    const { chatId } = await newGroup();
    await expect(change(chatId, { kind: "add", people: [{ id: bob }] })).rejects.toEqual(
      refused("not_an_admin"),
    );
    await expect(groups().read("120363999999999999", never)).rejects.toEqual(refused("not_found"));
    await expect(groups().read("nonsense", never)).rejects.toEqual(refused("not_found"));
    await expect(create([{ phone: "79990099999" }])).rejects.toEqual(refused("nobody_added"));
    const { id } = await stand.admin<{ id: string }>("POST /groups", {
      subject: "Theirs",
      participants: [ann, bob],
    });
    const theirs = id.replace("@g.us", "");
    await expect(change(theirs, { kind: "rename", name: "Mine" })).rejects.toEqual(refused("not_a_member"));
    const old = { url: "", urlIsPublic: false, urlMimeType: "", name: "p", mimeType: "image/jpeg", size: 6 };
    const gif = { ...old, kind: "image" as const, open: () => Readable.from([Buffer.from("GIF89a")]) };
    const { group } = await create([{ phone: ann }], "Pictures");
    await expect(change(group.chatId, { kind: "picture", picture: gif })).rejects.toEqual(
      refused("bad_picture"),
    );
  });

  test("a creation without an answer is unknown, and one refused for its rate comes later", async () => {
    await create([{ phone: ann }], "First");
    await stand.admin("POST /faults", {
      phone: account.phone,
      xmlns: "w:g2",
      what: "create",
      error_code: 429,
    });
    await expect(create([{ phone: ann }])).rejects.toMatchObject({ retry: { scope: "channel" } });
    await stand.admin("POST /faults", { phone: account.phone, xmlns: "w:g2", what: "create" });
    const asked = create([{ phone: ann }]);
    asked.catch(() => undefined);
    await vi.waitUntil(async () => {
      const { items } = await stand.admin<{ items: { what: string | null; hits: number }[] }>("GET /faults");
      return items.every(({ what, hits }) => what !== "create" || hits > 0);
    });
    await stand.admin(`POST /people/${account.phone}/devices/any/drops`, {});
    await expect(asked).rejects.toMatchObject({ retry: "unknown" });
  });
});
