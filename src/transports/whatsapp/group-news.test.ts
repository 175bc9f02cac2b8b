import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type { BinaryNode, WASocket } from "baileys";
import { describe, expect, test } from "vitest";
import { createTestLink } from "../../core/transport/conformance.ts";
import { readGroupNotices } from "./inbound/group-notice.ts";
import { seenGroup, toGroupNews } from "./inbound/group-updates.ts";
import { Journal } from "./inbound/journal.ts";
import { KeptNotices } from "./inbound/kept-notices.ts";
import { Receiver } from "./inbound/receiver.ts";
import { RecentMessages } from "./inbound/recent.ts";
import { People } from "./people/people.ts";

const sample = (name: string): BinaryNode =>
  JSON.parse(readFileSync(new URL(`./samples/${name}.json`, import.meta.url), "utf8")) as BinaryNode;

/** Bob's name is known from his messages, and the number of one hidden id is known. */
async function news(node: BinaryNode): Promise<unknown[]> {
  const link = createTestLink({ credentials: {}, settings: {} });
  const people = new People({
    vault: link.vault,
    emit: link.emit,
    numberOf: async (lid) => (lid === "81234567890121@lid" ? "79990000001@s.whatsapp.net" : null),
  });
  await people.learn("79990000002", { name: "Bob" });
  const me = () => ({ id: "79990000009:3@s.whatsapp.net", lid: "9:3@lid" });
  const told = await Promise.all(readGroupNotices(node).map((notice) => toGroupNews(notice, { people, me })));
  await link.dispose();
  return told;
}

const ref = (externalId: string) => ({ chatType: "whatsgroup", chatId: "120363041234567890", externalId });
const at = (seconds: number) => new Date(seconds * 1000);
const ANN = { id: "79990000001", name: "Ann", phone: "79990000001" };
const BOB = { id: "79990000002", name: "Bob", phone: "79990000002" };
const HIDDEN = { id: "81234567890125@lid", name: "81234567890125@lid" };
const OWN = { id: "79990000009", name: "79990000009", phone: "79990000009" };
const members = (id: number, changes: readonly unknown[], title = "") => ({
  kind: "members",
  ref: ref(String(3141592650 + id)),
  at: at(1700000100 + id),
  by: ANN,
  title,
  members: changes,
});
const pictured = (id: number, picture: unknown) => ({
  kind: "group",
  ref: ref(String(3141592650 + id)),
  at: at(1700000100 + id),
  by: { ...ANN, name: "79990000001" },
  picture,
});

describe("group notifications", () => {
  test.each<[string, readonly unknown[]]>([
    [
      "notice-subject",
      [{ kind: "group", ref: ref("3141592651"), at: at(1700000100), by: ANN, title: "Crew" }],
    ],
    [
      "notice-add",
      [
        members(2, [
          { change: "added", person: BOB },
          { change: "added", person: HIDDEN },
        ]),
      ],
    ],
    ["notice-remove", [members(3, [{ change: "removed", person: BOB }])]],
    ["notice-leave", [members(4, [{ change: "left", person: ANN }])]],
    ["notice-promote", [members(5, [{ change: "promoted", person: BOB }])]],
    ["notice-demote", [members(6, [{ change: "demoted", person: BOB }])]],
    ["notice-create", [members(7, [{ change: "added", person: OWN }], "Team")]],
    ["notice-picture", [pictured(8, { token: "picture:120363041234567890@g.us", mimeType: "image/jpeg" })]],
    ["notice-picture-gone", [pictured(9, null)]],
    ["notice-locked", []],
  ])("%s", async (name, expected) => expect(await news(sample(name))).toEqual(expected));

  test("several changes in one notification have separate ids", async () => {
    const { attrs, content } = sample("notice-subject");
    const promoted = sample("notice-promote").content;
    const both = { tag: "notification", attrs, content: [content, promoted].flat() as BinaryNode[] };
    expect((await news(both)).map((event) => (event as { ref: unknown }).ref)).toEqual([
      ref("3141592651"),
      ref("3141592651:1"),
    ]);
  });

  test.each<[string, Partial<BinaryNode["attrs"]>]>([
    ["of a person's picture", { from: "79990000002@s.whatsapp.net", type: "picture" }],
    ["of keys", { type: "encrypt" }],
  ])("ignores %s", async (_, more) => {
    const node = sample("notice-picture");
    expect(readGroupNotices({ ...node, attrs: { ...node.attrs, ...more } as BinaryNode["attrs"] })).toEqual(
      [],
    );
  });
});

describe("a looked-up group", () => {
  const group = { id: "120363041234567890@g.us", subject: "Crew", subjectTime: 1700000100 };
  test("has its name since the reported time", () => {
    expect(seenGroup(group)).toEqual({
      kind: "group",
      ref: ref("subject:1700000100"),
      at: at(1700000100),
      title: "Crew",
      isSeen: true,
    });
  });
  test.each([
    { ...group, subject: "" },
    { id: group.id, subject: "Crew" },
    { id: group.id, announce: true },
  ])("emits nothing: %j", (partial) => expect(seenGroup(partial)).toBeNull());
});

test("groups that the library looks up by itself emit their names", async () => {
  const link = createTestLink({ credentials: {}, settings: {} });
  const people = new People({ vault: link.vault, emit: link.emit, numberOf: async () => null });
  const receiver = new Receiver({
    link,
    people,
    history: { keep: async () => undefined },
    journal: new Journal(link.vault),
    recent: new RecentMessages(link.vault),
    undecryptableMs: 60_000,
    groupName: async () => "",
    me: () => ({ id: "79990000009:3@s.whatsapp.net" }),
  });
  const ev = new EventEmitter();
  receiver.listen({ ev } as unknown as WASocket);
  const changed = { id: "120363041234567890@g.us", announce: true };
  ev.emit("groups.update", [changed, { ...changed, subject: "Crew", subjectTime: 1700000100 }]);
  expect(await link.waitFor(({ kind }) => kind === "group")).toMatchObject({ title: "Crew", isSeen: true });
  await receiver.settle();
  expect(link.events).toHaveLength(1);
  receiver.close();
  await link.dispose();
});

test("notifications are kept until released, including their bytes", async () => {
  const link = createTestLink({ credentials: {}, settings: {} });
  const [later, earlier] = [sample("notice-promote"), sample("notice-add")];
  const described = { ...earlier, content: [{ tag: "body", attrs: {}, content: Buffer.from("text") }] };
  const kept = new KeptNotices(link.vault);
  await kept.keep(described);
  await kept.keep(later);
  expect(await new KeptNotices(link.vault).recover()).toEqual([described, later]);
  await kept.release(described);
  expect(await kept.recover()).toEqual([later]);
  await link.dispose();
});
