import type { BinaryNode } from "baileys";
import { expect, test } from "vitest";
import { GroupRefused, TransportError } from "../../../core/transport/errors.ts";
import { answeredPeople, createdGroup, isNamed, resultOf } from "./answers.ts";
import { toGroup } from "./members.ts";
import { type Asked, groupError } from "./refusals.ts";

const person = (attrs: Record<string, string>): BinaryNode => ({ tag: "participant", attrs });
const group = (content: BinaryNode[], attrs: Record<string, string> = {}): BinaryNode => ({
  tag: "group",
  attrs: { id: "120363001", subject: "Team", ...attrs },
  content,
});

test("a created group has those who could be added, whatever addresses the answer has", () => {
  const made = group([
    person({ jid: "1@lid", phone_number: "79001@s.whatsapp.net", type: "superadmin" }),
    person({ jid: "79002@s.whatsapp.net", lid: "2@lid", error: "200" }),
    person({ jid: "79003@s.whatsapp.net", error: "403" }),
    { tag: "announcement", attrs: {} },
    person({}),
  ]);
  expect(createdGroup(made, "x")).toEqual({
    id: "120363001@g.us",
    subject: "Team",
    size: 2,
    participants: [
      { id: "1@lid", phoneNumber: "79001@s.whatsapp.net", admin: "superadmin" },
      { id: "79002@s.whatsapp.net", admin: null },
    ],
  });
  const answered = answeredPeople(made);
  expect(answered.map((each) => isNamed(each, "79001@s.whatsapp.net"))).toEqual([true, false, false]);
  expect(answered.map((each) => isNamed(each, "2:5@lid"))).toEqual([false, true, false]);
  expect(answered.map((each) => each.error)).toEqual([undefined, undefined, "403"]);
});

test("an answer without a group does not say whether there is one", () => {
  expect(() => createdGroup(undefined, "x")).toThrow("names no group");
  expect(() => createdGroup({ tag: "group", attrs: {} }, "x")).toThrow("names no group");
});

test.each([
  [undefined, "add", "done"],
  ["403", "add", "invitation_needed"],
  ["404", "add", "unknown"],
  ["404", "remove", "not_a_member"],
  ["406", "demote", "protected"],
  ["408", "add", "left_recently"],
  ["409", "add", "already"],
  ["419", "add", "full"],
  ["417", "add", "refused"],
] as const)("code %s of %s: %s", (code, kind, expected) => {
  expect(resultOf(code, kind)).toBe(expected);
});

test.each<[number, Asked, string]>([
  [401, "rename", "not_an_admin"],
  [403, "read", "not_a_member"],
  [403, "create", "refused"],
  [404, "people", "not_found"],
  [406, "rename", "bad_name"],
  [406, "picture", "bad_picture"],
  [406, "people", "refused"],
  [409, "people", "refused"],
  [419, "people", "too_many_people"],
])("error %i of %s: %s", (code, asked, reason) => {
  const error = groupError(Object.assign(new Error("no"), { data: code }), asked);
  expect(error).toBeInstanceOf(GroupRefused);
  expect(error).toMatchObject({ reason, data: String(code) });
});

test.each<[unknown, object]>([
  [Object.assign(new Error("rate-overlimit"), { data: 429 }), { retry: { afterMs: 300_000 } }],
  [Object.assign(new Error("server error"), { data: 500 }), { retry: "unknown" }],
  [new Error("Timed Out"), { retry: "unknown" }],
  [new TransportError("UNKNOWN_ERROR", "no line", { retry: "later" }), { retry: "later" }],
])("%s is no refusal", (error, expected) => {
  expect(groupError(error, "create")).toBeInstanceOf(TransportError);
  expect(groupError(error, "create")).toMatchObject(expected);
});

test("members have the ids of messages, their roles and known names", async () => {
  const numbers: Record<string, string> = { "2@lid": "79002" };
  const people = {
    resolve: async (jid: string | null | undefined, alternative?: string | null) => {
      const address = alternative ?? jid ?? "";
      const digits = numbers[address] ?? (address.endsWith("@lid") ? null : address.split("@")[0]);
      return digits == null
        ? ({ kind: "hidden", id: address.split("@")[0] ?? "" } as const)
        : ({ kind: "phone", digits } as const);
    },
    findAll: async () => new Map([["79002", { name: "Bob" }]]),
  };
  const participants = [
    { id: "1@lid", phoneNumber: "79001@s.whatsapp.net", admin: "superadmin" as const },
    { id: "2@lid", admin: "admin" as const },
    { id: "3@lid" },
  ];
  const listed = { id: "120363001@g.us", subject: "Team", size: 3, participants };
  expect(await toGroup(listed, { people, me: ["79001:4@s.whatsapp.net", "1:4@lid"] })).toEqual({
    chatId: "120363001",
    name: "Team",
    size: 3,
    members: [
      { id: "79001", name: "", phone: "79001", role: "owner", isOwn: true },
      { id: "79002", name: "Bob", phone: "79002", role: "admin" },
      { id: "3@lid", name: "", role: "member" },
    ],
  });
});
