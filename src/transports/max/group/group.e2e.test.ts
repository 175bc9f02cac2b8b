import { Readable } from "node:stream";
import { expect, test, vi } from "vitest";
import { pngFile } from "../../../../sandbox/test-kit.ts";
import type { OutboundFile } from "../../../core/transport/connector.ts";
import type { TransportEvent } from "../../../core/transport/events.ts";
import type { GroupChange, GroupPersonName } from "../../../core/transport/groups.ts";
import {
  ANN,
  admin,
  ann,
  EVE,
  inboundMessage,
  type Link,
  messagesIn,
  openWorld,
  person,
  SHOP,
  useMax,
} from "../e2e-test-kit.ts";
import { OP } from "../wire/opcodes.ts";

useMax();

const never = new AbortController().signal;
const ID = "0b1e7d54-3f0a-4c5e-8b59-5e2d5f7c9a01";

type World = Awaited<ReturnType<typeof openWorld>>;

const create = ({ session }: World, people: readonly GroupPersonName[]) =>
  session.groups.create({ id: ID, name: "Team", people }, never);
const change = ({ session }: World, chatId: string, what: GroupChange) =>
  session.groups.change(chatId, what, never);
const onServer = (chatId: string) => admin("GET", `/groups/${chatId}`);

/** The chat with a person, which is their id in groups. */
async function idOf(phone: string): Promise<string> {
  const own = await admin<{ user_id: number }>("GET", `/people/${SHOP}`);
  const other = await admin<{ user_id: number }>("GET", `/people/${phone}`);
  return String(BigInt(own.user_id) ^ BigInt(other.user_id));
}

/** Changes of the group since the last call. */
function changesIn({ events }: Link): readonly TransportEvent[] {
  return events.splice(0).filter(({ kind }) => kind === "members" || kind === "group");
}

async function picture(): Promise<OutboundFile> {
  const bytes = Buffer.from(await pngFile(300, 300).arrayBuffer());
  return {
    ...{ url: "https://files.example/x", urlIsPublic: true, urlMimeType: "image/png", mimeType: "image/png" },
    ...{ name: "p.png", kind: "image", size: bytes.length },
    open: () => Readable.from([bytes]),
  };
}

test("a created group can be written to at once; who cannot be added is named", async () => {
  const world = await openWorld();
  const { link, session, dialog } = world;
  await admin("POST", "/people", { phone: EVE, inviters: "contacts" });
  const eve = await idOf(EVE);
  const people = [{ id: dialog }, { phone: EVE }, { phone: "79990000009" }, { id: "77" }];
  const { group, people: outcomes } = await create(world, people);
  expect(outcomes).toEqual([
    { person: { id: dialog }, id: dialog, result: "done" },
    { person: { phone: EVE }, id: eve, result: "invitation_needed" },
    { person: { phone: "79990000009" }, result: "unknown" },
    { person: { id: "77" }, id: "77", result: "unknown" },
  ]);
  const { chatId } = group;
  expect(group).toMatchObject({
    name: "Team",
    size: 2,
    members: [
      { name: expect.any(String), role: "owner", isOwn: true },
      { id: dialog, role: "member" },
    ],
  });
  expect(await session.groups.read(chatId, never)).toMatchObject({
    ...{ chatId, name: "Team", size: 2 },
    members: [
      { name: "Shop", phone: SHOP, role: "owner", isOwn: true },
      { id: dialog, name: "Ann", phone: ANN, role: "member" },
    ],
  });
  expect(changesIn(link)).toMatchObject([
    { ref: { chatId }, title: "Team", members: [{ change: "added" }, { person: { id: dialog } }] },
  ]);
  const to = { chatType: "maxgroup", chatId } as const;
  await session.send({ id: "m1", to, content: { type: "text", text: "welcome" } }, never);
  await ann("messages", { to: chatId, text: "hello" });
  const message = await inboundMessage(link, ({ body }) => "text" in body && body.text === "hello");
  expect(message).toMatchObject({ ...to, sender: { id: dialog }, contact: { name: "Team" } });
  expect(messagesIn(link.events)).toHaveLength(1);
});

test("changes are made and reported", async () => {
  const world = await openWorld();
  const { link, dialog, session } = world;
  const eve = await idOf(EVE);
  const { group } = await create(world, [{ id: dialog }]);
  const { chatId } = group;
  changesIn(link);

  expect(await change(world, chatId, { kind: "rename", name: "Crew" })).toEqual([]);
  expect(changesIn(link)).toMatchObject([{ kind: "group", title: "Crew" }]);
  await change(world, chatId, { kind: "picture", picture: await picture() });
  expect(changesIn(link)).toMatchObject([{ kind: "group", picture: { token: expect.any(String) } }]);
  expect(await onServer(chatId)).toMatchObject({ title: "Crew", photo_token: expect.any(String) });

  const both = [{ id: dialog }, { phone: EVE }];
  expect(await change(world, chatId, { kind: "add", people: both })).toMatchObject([
    { id: dialog, result: "already" },
    { id: eve, result: "done" },
  ]);
  expect(changesIn(link)).toMatchObject([
    { title: "Crew", members: [{ change: "added", person: { id: eve } }] },
  ]);
  expect(await change(world, chatId, { kind: "promote", people: both })).toMatchObject([
    { result: "done" },
    { result: "done" },
  ]);
  expect(await onServer(chatId)).toMatchObject({ admins: [SHOP, ANN, EVE] });
  expect(await change(world, chatId, { kind: "promote", people: both })).toMatchObject([
    { result: "already" },
    { result: "already" },
  ]);
  await change(world, chatId, { kind: "demote", people: [{ id: dialog }] });
  expect(changesIn(link)).toMatchObject([
    { members: [{ change: "promoted" }, { change: "promoted" }] },
    { members: [{ change: "demoted", person: { id: dialog } }] },
  ]);
  const gone = [{ id: dialog }, { phone: SHOP }];
  expect(await change(world, chatId, { kind: "remove", people: gone })).toMatchObject([
    { id: dialog, result: "done" },
    { result: "protected" },
  ]);
  expect(await change(world, chatId, { kind: "remove", people: [{ id: dialog }] })).toMatchObject([
    { result: "not_a_member" },
  ]);
  expect(changesIn(link)).toMatchObject([{ members: [{ change: "removed", person: { id: dialog } }] }]);
  expect(await session.groups.read(chatId, never)).toMatchObject({
    name: "Crew",
    members: [
      { role: "owner", isOwn: true },
      { id: eve, name: "Eve", role: "admin" },
    ],
  });
  expect((await admin<{ items: object[] }>("GET", "/calls?unknown=true")).items).toEqual([]);
});

test("refusals have their reason", async () => {
  const world = await openWorld();
  const { link, session, dialog } = world;
  const made = await admin<{ id: string }>("POST", "/groups", { title: "Theirs", participants: [ANN, SHOP] });
  const chatId = String(made.id);
  await vi.waitFor(() => expect(changesIn(link)).not.toEqual([]));
  const refused = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      (error: unknown) => error,
    );
  const notAdmin = { reason: "not_an_admin", data: expect.stringContaining("chat.denied") };
  expect(await refused(change(world, chatId, { kind: "rename", name: "Mine" }))).toMatchObject(notAdmin);
  expect(await refused(change(world, chatId, { kind: "add", people: [{ phone: EVE }] }))).toMatchObject(
    notAdmin,
  );
  expect(await change(world, chatId, { kind: "remove", people: [{ id: dialog }] })).toMatchObject([
    { result: "protected" },
  ]);
  expect(await refused(session.groups.read("-77", never))).toMatchObject({ reason: "not_found" });
  expect(await refused(session.groups.read(dialog, never))).toMatchObject({ reason: "not_found" });
  await admin("POST", "/faults", { opcode: OP.send, error: "too.many.requests" });
  expect(await refused(create(world, [{ id: dialog }]))).toMatchObject({
    code: "TOO_MANY_EXT_REQS",
    retry: { scope: "channel" },
  });
  await person(SHOP)("restrictions", { seconds: 600 });
  expect(await refused(create(world, [{ id: dialog }]))).toMatchObject({
    code: "SPAM",
    cooldown: { until: expect.any(Date) },
  });
});

test("a creation whose response is lost is not repeated, and its outcome is unknown", async () => {
  const world = await openWorld();
  await admin("POST", "/faults", { opcode: OP.send, drop: "after" });
  await expect(create(world, [{ id: world.dialog }])).rejects.toMatchObject({ retry: "unknown" });
  await world.state({ status: "active" });
  expect((await admin<{ items: object[] }>("GET", "/groups")).items).toHaveLength(1);
});
