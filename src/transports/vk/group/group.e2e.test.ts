import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { pngFile } from "../../../../sandbox/test-kit.ts";
import type { OutboundFile } from "../../../core/transport/connector.ts";
import type { InboundMessage, TransportEvent } from "../../../core/transport/events.ts";
import type { GroupChange, GroupPersonName } from "../../../core/transport/groups.ts";
import { ANN, admin, openWorld, useVk, type World } from "../e2e-test-kit.ts";
import { outboundFile, textMessage, type VkTestLink } from "../testing.ts";

useVk();

const never = new AbortController().signal;
const BOB = 700_002;
const ID = "0b1e7d54-3f0a-4c5e-8b59-5e2d5f7c9a01";

interface ShownChat {
  readonly peer_id: number;
  readonly title: string;
  readonly photo: string | null;
  readonly link: string;
  readonly user_ids: readonly number[];
}

const create = ({ session }: World, people: readonly GroupPersonName[]) =>
  session.groups.create({ id: ID, name: "Team", people }, never);
const change = ({ session }: World, chatId: string, what: GroupChange) =>
  session.groups.change(chatId, what, never);
const chatsOf = async ({ groupId }: World): Promise<readonly ShownChat[]> =>
  (await admin<{ items: ShownChat[] }>(`/communities/${groupId}/chats`)).items;

/** Bob, who accepts messages of the community. */
async function addBob({ groupId }: World, more: object = {}): Promise<void> {
  await admin("/users", { id: BOB, first_name: "Bob", last_name: "Cole", refuses_chats: false, ...more });
  await admin(`/communities/${groupId}/users/${BOB}/allowances`, {});
}

const changesIn = ({ events }: VkTestLink): readonly TransportEvent[] =>
  events.filter(({ kind }) => kind === "group" || kind === "members");

async function picture(side: number): Promise<OutboundFile> {
  const bytes = Buffer.from(await pngFile(side, side).arrayBuffer());
  const open = (): Readable => Readable.from([bytes]);
  return outboundFile({ name: "p.png", mimeType: "image/png", kind: "image", size: bytes.length, open });
}

test("a created chat can be written to at once; who cannot be added is named, with the link", async () => {
  const world = await openWorld();
  const { groupId, link, session } = world;
  await addBob(world, { refuses_chats: true });
  const people = [{ id: String(ANN) }, { id: String(BOB) }, { id: "9" }, { id: "-5" }];
  const { group, people: outcomes } = await create(world, people);
  const [chat] = await chatsOf(world);
  expect(outcomes).toEqual([
    { person: { id: String(ANN) }, id: String(ANN), result: "done" },
    { person: { id: String(BOB) }, id: String(BOB), result: "invitation_needed", data: chat?.link },
    { person: { id: "9" }, result: "unknown" },
    { person: { id: "-5" }, result: "unknown" },
  ]);
  const { chatId } = group;
  const members = [
    { id: `-${groupId}`, role: "owner", isOwn: true },
    { id: String(ANN), name: "Ann Bell", role: "member" },
  ];
  expect(group).toMatchObject({ chatId: String(chat?.peer_id), name: "Team", size: 2, members });
  expect(await session.groups.read(chatId, never)).toMatchObject({
    ...{ chatId, name: "Team", size: 2 },
    members: [members[1], members[0]],
  });
  expect(changesIn(link)).toMatchObject([{ kind: "group", ref: { chatId }, title: "Team" }]);
  await session.send(textMessage({ to: { chatType: "vk", chatId } }), never);
  await admin(`/communities/${groupId}/chats/${chatId}/messages`, { user_id: ANN, text: "hello" });
  const event = await link.waitFor((each) => each.kind === "message");
  expect((event as { message: InboundMessage }).message).toMatchObject({
    ...{ chatType: "vk", chatId },
    ...{ contact: { name: "Team" }, sender: { id: String(ANN) } },
  });
});

test("changes are made and reported", async () => {
  const world = await openWorld();
  const { link, groupId } = world;
  await addBob(world);
  const { group } = await create(world, [{ id: String(ANN) }, { id: String(BOB) }]);
  const { chatId } = group;
  expect(await change(world, chatId, { kind: "rename", name: "Crew" })).toEqual([]);
  await change(world, chatId, { kind: "picture", picture: await picture(300) });
  expect(await chatsOf(world)).toMatchObject([{ title: "Crew", photo: expect.stringMatching(/^http/) }]);
  await change(world, chatId, { kind: "picture", picture: null });
  expect(await chatsOf(world)).toMatchObject([{ photo: null }]);
  expect(changesIn(link)).toMatchObject([
    { title: "Team" },
    { title: "Crew", by: { id: `-${groupId}` } },
    { picture: { token: expect.stringMatching(/^http/) } },
    { picture: null },
  ]);
  const people = [{ id: String(BOB) }, { id: String(BOB + 1) }, { id: `-${groupId}` }];
  expect(await change(world, chatId, { kind: "remove", people })).toEqual([
    { person: people[0], id: String(BOB), result: "done" },
    { person: people[1], id: String(BOB + 1), result: "not_a_member" },
    { person: people[2], id: `-${groupId}`, result: "protected" },
  ]);
  expect(await chatsOf(world)).toMatchObject([{ user_ids: [ANN] }]);
  expect((await admin<{ items: object[] }>("/calls?unknown=true")).items).toEqual([]);
});

test("refusals have their reason", async () => {
  const world = await openWorld();
  const { groupId, session } = world;
  const chat = await admin<ShownChat>(`/communities/${groupId}/chats`, { title: "Theirs", user_ids: [ANN] });
  const chatId = String(chat.peer_id);
  const refused = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(await refused(change(world, chatId, { kind: "rename", name: "Ours" }))).toMatchObject({
    reason: "not_an_admin",
    data: expect.stringMatching(/^925: /),
  });
  expect(await refused(session.groups.read("2000000099", never))).toMatchObject({ reason: "not_found" });
  expect(await refused(session.groups.read(String(ANN), never))).toMatchObject({ reason: "not_found" });
  expect(await refused(create(world, [{ id: "9" }]))).toMatchObject({ reason: "nobody_added" });
  await admin(`/communities/${groupId}/chats/${chatId}/promotions`, {});
  expect(
    await refused(change(world, chatId, { kind: "picture", picture: await picture(100) })),
  ).toMatchObject({ reason: "bad_picture" });
  await admin("/faults", { group_id: groupId, method: "messages.editChat", error_code: 29 });
  expect(await refused(change(world, chatId, { kind: "rename", name: "Ours" }))).toMatchObject({
    code: "TOO_MANY_EXT_REQS",
    retry: { scope: "channel" },
  });
  await admin("/faults", { group_id: groupId, method: "messages.createChat", drop: "after" });
  expect(await refused(create(world, [{ id: String(ANN) }]))).toMatchObject({ retry: "unknown" });
  expect(await chatsOf(world)).toHaveLength(2);
  await admin(`/communities/${groupId}/chats/${chatId}/removals`, {});
  expect(await refused(session.groups.read(chatId, never))).toMatchObject({ reason: "not_a_member" });
});

test("a chat that the community does not administer is read as far as VK shows it", async () => {
  const world = await openWorld();
  const { groupId, session } = world;
  const chat = await admin<ShownChat>(`/communities/${groupId}/chats`, { title: "Theirs", user_ids: [ANN] });
  const chatId = String(chat.peer_id);
  expect(await session.groups.read(chatId, never)).toMatchObject({
    members: [
      { id: String(ANN), role: "owner" },
      { id: `-${groupId}`, role: "member", isOwn: true },
    ],
  });
  const method = "messages.getConversationMembers";
  await admin("/faults", { group_id: groupId, method, error_code: 917 });
  expect(await session.groups.read(chatId, never)).toMatchObject({
    ...{ name: "Theirs", size: 2 },
    members: [{ id: `-${groupId}`, isOwn: true }],
  });
});
