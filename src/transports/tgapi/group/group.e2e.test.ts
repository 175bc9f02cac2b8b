import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { pngFile } from "../../../../sandbox/test-kit.ts";
import type { TransportEvent } from "../../../core/transport/events.ts";
import type { GroupChange, GroupPersonName } from "../../../core/transport/groups.ts";
import { BOB, type Link, next, SHOP, signal, useTgapi } from "../e2e-test-kit.ts";
import { outboundFile, textMessage } from "../testing.ts";

const { admin, connect } = useTgapi();

const CAROL = "79990000003";
const ID = "0b1e7d54-3f0a-4c5e-8b59-5e2d5f7c9a01";

type Connected = Awaited<ReturnType<typeof connect>>;

async function person(phone: string, more: object = {}): Promise<string> {
  const name = { phone, first_name: `P${phone.slice(-1)}`, username: `p${phone}` };
  return String((await admin<{ id: number }>("POST", "/people", { ...name, ...more })).id);
}

function create(
  { session }: Connected,
  people: readonly GroupPersonName[],
  name = "Team",
): ReturnType<Connected["session"]["groups"]["create"]> {
  return session.groups.create({ id: ID, name, people }, signal());
}

const change = ({ session }: Connected, chatId: string, what: GroupChange) =>
  session.groups.change(chatId, what, signal());

const groupOnServer = (chatId: string) =>
  admin<{ title: string; photo_id: string | null; members: object[] }>("GET", `/groups/${chatId}`);

type MembersEvent = Extract<TransportEvent, { kind: "members" | "group" }>;
const reported = (link: Link, chatId: string): Promise<MembersEvent> =>
  next(link, (event) =>
    (event.kind === "members" || event.kind === "group") && event.ref.chatId === chatId ? event : undefined,
  );

async function picture(width: number): Promise<GroupChange> {
  const bytes = Buffer.from(await pngFile(width, width).arrayBuffer());
  const open = (): Readable => Readable.from([bytes]);
  const file = outboundFile({
    name: "p.png",
    mimeType: "image/png",
    kind: "image",
    size: bytes.length,
    open,
  });
  return { kind: "picture", picture: file };
}

test("a created group can be written to at once; who cannot be added is named", async () => {
  const connected = await connect();
  const { link, bob, session } = connected;
  const carol = await person(CAROL, { inviters: "contacts" });
  const people = [{ phone: BOB }, { phone: CAROL }, { username: "nobody_at_all" }, { phone: SHOP }];
  const { group, people: outcomes } = await create(connected, people);
  expect(outcomes).toEqual([
    { person: { phone: BOB }, id: bob, result: "done" },
    { person: { phone: CAROL }, id: carol, result: "invitation_needed", data: "USER_PRIVACY_RESTRICTED" },
    { person: { username: "nobody_at_all" }, result: "unknown" },
    { person: { phone: SHOP }, id: expect.any(String), result: "already" },
  ]);
  const { chatId } = group;
  expect(group).toEqual({
    chatId,
    name: "Team",
    size: 2,
    members: [
      { id: expect.any(String), name: "Shop", username: "the_shop", phone: SHOP, role: "owner", isOwn: true },
      { id: bob, name: "Bob", username: "bob_b", phone: BOB, role: "member" },
    ],
  });
  expect(await session.groups.read(chatId, signal())).toEqual(group);
  expect(await reported(link, chatId)).toMatchObject({
    kind: "members",
    title: "Team",
    members: [{ change: "added" }, { change: "added", person: { id: bob } }],
  });
  await session.send(textMessage({ to: { chatType: "telegroup", chatId } }), signal());
  await admin("POST", `/people/${BOB}/messages`, { to: chatId, text: "hello" });
  const message = await next(link, (event) => (event.kind === "message" ? event.message : undefined));
  expect(message).toMatchObject({
    chatType: "telegroup",
    chatId,
    direction: "in",
    contact: { name: "Team" },
  });
});

test.each(["group", "supergroup"])("changes of a %s are made and reported", async (kind) => {
  const connected = await connect();
  const { link, bob } = connected;
  const carol = await person(CAROL);
  const made = { kind, title: "Team", creator: SHOP, participants: [SHOP, BOB] };
  const chatId = String((await admin<{ id: number }>("POST", "/groups", made)).id);
  await admin("POST", `/people/${BOB}/messages`, { to: chatId, text: "hello" });
  await next(link, (event) => (event.kind === "message" ? event : undefined));

  expect(await change(connected, chatId, { kind: "rename", name: "Crew" })).toEqual([]);
  expect(await reported(link, chatId)).toMatchObject({ kind: "group", title: "Crew" });
  expect(await change(connected, chatId, { kind: "rename", name: "Crew" })).toEqual([]);
  await change(connected, chatId, await picture(300));
  expect(await reported(link, chatId)).toMatchObject({ picture: { mimeType: "image/jpeg" } });
  expect(await groupOnServer(chatId)).toMatchObject({ title: "Crew", photo_id: expect.any(String) });
  await change(connected, chatId, { kind: "picture", picture: null });
  expect(await reported(link, chatId)).toMatchObject({ picture: null });

  const both = [{ id: bob }, { phone: CAROL }];
  const already = kind === "group" ? [{ id: bob, result: "already" }] : [{ id: bob }];
  expect(await change(connected, chatId, { kind: "add", people: both })).toMatchObject([
    ...already,
    { id: carol, result: "done" },
  ]);
  expect(await reported(link, chatId)).toMatchObject({
    members: [{ change: "added", person: { id: carol } }],
  });
  expect(await change(connected, chatId, { kind: "promote", people: both })).toMatchObject([
    { id: bob, result: "done" },
    { id: carol, result: "done" },
  ]);
  expect(await reported(link, chatId)).toMatchObject({
    members: [{ change: "promoted", person: { id: bob } }, { change: "promoted" }],
  });
  expect(await change(connected, chatId, { kind: "promote", people: [{ id: bob }] })).toMatchObject([
    { result: "already" },
  ]);
  expect(await change(connected, chatId, { kind: "demote", people: [{ id: bob }] })).toMatchObject([
    { result: "done" },
  ]);
  expect(await reported(link, chatId)).toMatchObject({ members: [{ change: "demoted" }] });
  const gone = [{ id: bob }, { phone: SHOP }];
  expect(await change(connected, chatId, { kind: "remove", people: gone })).toMatchObject([
    { id: bob, result: "done" },
    { result: "protected" },
  ]);
  expect(await reported(link, chatId)).toMatchObject({
    members: [{ change: "removed", person: { id: bob } }],
  });
  expect(await change(connected, chatId, { kind: "remove", people: [{ id: bob }] })).toMatchObject([
    { id: bob, result: "not_a_member" },
  ]);
  expect(await connected.session.groups.read(chatId, signal())).toMatchObject({
    name: "Crew",
    size: 2,
    members: [
      { role: "owner", isOwn: true },
      { id: carol, role: "admin" },
    ],
  });
  expect((await admin<{ items: unknown[] }>("GET", "/calls?unknown=true")).items).toEqual([]);
});

test("refusals have their reason", async () => {
  const connected = await connect();
  const { link, bob, session } = connected;
  const carol = await person(CAROL, { inviters: "contacts" });
  const made = { title: "Theirs", creator: BOB, participants: [BOB, SHOP] };
  const chatId = String((await admin<{ id: number }>("POST", "/groups", made)).id);
  await admin("POST", `/people/${BOB}/messages`, { to: chatId, text: "hello" });
  await next(link, (event) => (event.kind === "message" ? event : undefined));

  const refused = async (call: Promise<unknown>): Promise<unknown> => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return error;
  };
  const notAdmin = { reason: "not_an_admin", data: "400 CHAT_ADMIN_REQUIRED" };
  expect(await refused(change(connected, chatId, { kind: "rename", name: "Mine" }))).toMatchObject(notAdmin);
  const promote = { kind: "demote", people: [{ id: bob }] } as const;
  expect(await change(connected, chatId, promote)).toMatchObject([{ result: "protected" }]);
  expect(await change(connected, chatId, { kind: "add", people: [{ phone: CAROL }] })).toMatchObject([
    { id: carol, result: "invitation_needed", data: "403 USER_PRIVACY_RESTRICTED" },
  ]);
  expect(await refused(session.groups.read("-77", signal()))).toMatchObject({ reason: "not_found" });
  expect(await refused(session.groups.read(bob, signal()))).toMatchObject({ reason: "not_found" });
  expect(await refused(create(connected, [{ username: "nobody_at_all" }]))).toMatchObject({
    reason: "nobody_added",
  });
  await admin("POST", `/groups/${chatId}/promotions`, { phone: SHOP });
  expect(await refused(change(connected, chatId, await picture(100)))).toMatchObject({
    reason: "bad_picture",
    data: "400 PHOTO_CROP_SIZE_SMALL",
  });
  await admin("POST", `/people/${SHOP}/restrictions`, { seconds: 600 });
  expect(await refused(change(connected, chatId, { kind: "add", people: [{ phone: CAROL }] }))).toMatchObject(
    {
      code: "SPAM",
      cooldown: { until: expect.any(Date) },
    },
  );
  await admin("POST", `/people/${SHOP}/restrictions`, { seconds: 0 });
  await admin("POST", "/faults", { method: "messages.createChat", error: "FLOOD_WAIT_30" });
  expect(await refused(create(connected, [{ id: bob }]))).toMatchObject({
    code: "TOO_MANY_EXT_REQS",
    retry: { afterMs: 30_000 },
  });
  await admin("POST", `/groups/${chatId}/removals`, { phone: SHOP, by: BOB });
  expect(await refused(session.groups.read(chatId, signal()))).toMatchObject({ reason: "not_a_member" });
});

test("a deleted account among the people does not prevent the group", async () => {
  const connected = await connect();
  const carol = await person(CAROL);
  await create(connected, [{ phone: BOB }, { phone: CAROL }]);
  await admin("POST", `/people/${CAROL}/deactivations`);
  const { people } = await create(connected, [{ id: connected.bob }, { id: carol }], "Second");
  expect(people).toMatchObject([{ result: "done" }, { id: carol, result: "unknown" }]);
});

test("a creation whose response is lost is not repeated, and its outcome is unknown", async () => {
  const connected = await connect();
  await admin("POST", "/faults", { method: "messages.createChat", kind: "drop", forget: true });
  await expect(create(connected, [{ phone: BOB }])).rejects.toMatchObject({ retry: "unknown" });
  await next(connected.link, (event) =>
    event.kind === "link" && event.state.status === "active" ? event : undefined,
  );
  await expect
    .poll(() => admin<{ items: object[] }>("GET", "/groups"))
    .toMatchObject({ items: [{ title: "Team" }] });
  const { group } = await create(connected, [{ phone: BOB }], "Next");
  expect(group.name).toBe("Next");
  expect((await admin<{ items: object[] }>("GET", "/groups")).items).toHaveLength(2);
  expect((await admin<{ count: number }>("GET", "/calls?method=messages.createChat")).count).toBe(2);
});
