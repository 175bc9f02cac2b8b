import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, call, outcome } from "../kit/call.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

type Method = Parameters<typeof call>[1];
const api = (method: Method, path: string, body?: unknown, token = account.access): Promise<Answer> =>
  call(node, method, `/v2${path}`, { token, ...(body === undefined ? {} : { body }) });
const dataOf = ({ json }: Answer) => (json as { data: unknown }).data;
const META = { timestamp: expect.any(Number) };

/** `status error [index:field,field …]` of an answer. */
function faults(answer: Answer): string {
  const { data } = answer.json as { data?: { index: number; fields: string[] }[] };
  const places = Array.isArray(data) ? data.map(({ index, fields }) => `${index}:${fields.toSorted()}`) : [];
  return places.length === 0
    ? outcome(answer)
    : `${outcome({ ...answer, json: { error: (answer.json as { error: string }).error } })} ${places.join(" ")}`;
}

const CONTACT = {
  id: "c1",
  responsible_user_id: "u1",
  name: "Ann",
  contact_data: [{ chat_type: "telegram", chat_id: "100", username: "ann", phone: "79990001122" }],
  uri: "https://crm.example/c1",
};
const DEAL = {
  id: "d1",
  responsible_user_id: "u1",
  name: "Doors",
  uri: "https://crm.example/d1",
  contacts: ["c1"],
  closed: true,
};
const USER = { id: "u1", name: "Bob", phone: "37192612345" };

const KINDS = [
  ["contacts", CONTACT, "CONTACT_NOT_FOUND", "INVALID_CONTACTS_DATA"],
  ["deals", DEAL, "DEAL_NOT_FOUND", "INVALID_DEALS_DATA"],
  ["users", USER, "USER_NOT_FOUND", "INVALID_USERS_DATA"],
] as const;

describe.each(KINDS)("%s", (kind, sample, missing, faulty) => {
  test("are stored, found, listed, changed and removed", async () => {
    const saved = await api("POST", `/${kind}`, { [kind]: [sample, { ...sample, id: "other" }] });
    expect([saved.status, saved.json]).toEqual([200, { data: { processed: 2 }, meta: META }]);
    expect((await api("GET", `/${kind}/${sample.id}`)).json).toEqual({ data: sample, meta: META });
    expect(dataOf(await api("GET", `/${kind}`))).toEqual([sample, { ...sample, id: "other" }].toSorted(byId));
    const changes = [
      { id: sample.id, name: "Another" },
      { id: "none", name: "x" },
    ];
    expect(dataOf(await api("PATCH", `/${kind}`, { [kind]: changes }))).toEqual({
      processed: 1,
      not_found: ["none"],
    });
    expect(dataOf(await api("GET", `/${kind}/${sample.id}`))).toEqual({ ...sample, name: "Another" });
    expect(outcome(await api("GET", `/${kind}/none`))).toBe(`404 ${missing}`);
    const gone = await api("DELETE", `/${kind}`, { [kind]: [sample.id, { id: "none" }, { id: sample.id }] });
    expect(dataOf(gone)).toEqual({ processed: 1, not_found: ["none"] });
    expect((await api("DELETE", `/${kind}/other`)).json).toEqual({ data: null, meta: META });
    expect(outcome(await api("DELETE", `/${kind}/other`))).toBe(`404 ${missing}`);
    expect(dataOf(await api("GET", `/${kind}`))).toEqual([]);
  });

  test("entities stored on v3 are the same", async () => {
    const camel = JSON.parse(
      JSON.stringify(sample).replace(
        /"(\w+)":/g,
        (_all, name: string) => `"${name.replace(/_(.)/g, (_m, c: string) => c.toUpperCase())}":`,
      ),
    ) as unknown;
    await call(node, "POST", `/v3/${kind}`, { token: account.api, body: [camel] });
    expect(dataOf(await api("GET", `/${kind}/${sample.id}`))).toEqual(sample);
    await api("DELETE", `/${kind}/${sample.id}`);
  });

  test.each([
    ["POST", {}, `400 VALIDATION_ERROR ${kind}`],
    ["PATCH", {}, `400 VALIDATION_ERROR ${kind}`],
    ["DELETE", {}, `400 VALIDATION_ERROR ${kind}`],
    ["DELETE", [], "400 VALIDATION_ERROR body"],
    ["POST", [sample], "400 VALIDATION_ERROR body"],
    ["POST", { [kind]: [], more: 1 }, "400 VALIDATION_ERROR more"],
    ["POST", { [kind]: sample }, `400 VALIDATION_ERROR ${kind}`],
    ["POST", { [kind]: [] }, "200"],
    ["POST", { [kind]: Array(101).fill(sample) }, "400 TOO_MANY_ENTITIES"],
    ["PATCH", { [kind]: Array(101).fill(sample) }, "400 TOO_MANY_ENTITIES"],
    ["DELETE", { [kind]: Array(101).fill("x") }, "400 TOO_MANY_ENTITIES"],
    ["POST", { [kind]: [sample, { ...sample, more: 1, name: 5 }] }, `400 ${faulty} 1:more,name`],
    ["PATCH", { [kind]: [{ name: "x" }, 5, { id: "x", name: {} }] }, `400 ${faulty} 0:id 1: 2:name`],
    ["DELETE", { [kind]: ["x", null, { id: "" }, {}] }, `400 ${faulty} 1: 2:id 3:id`],
  ] as const)("%s %.60j: %s", async (method, body, expected) => {
    expect(faults(await api(method, `/${kind}`, body))).toBe(expected);
  });

  test("another account's entities are missing", async () => {
    const other = await addAccount(node.db);
    await api("POST", `/${kind}`, { [kind]: [sample] }, other.access);
    expect(dataOf(await api("GET", `/${kind}`))).toEqual([]);
    expect(outcome(await api("GET", `/${kind}/${sample.id}`))).toBe(`404 ${missing}`);
    expect(outcome(await api("DELETE", `/${kind}/${sample.id}`))).toBe(`404 ${missing}`);
    const none = { processed: 0, not_found: [sample.id] };
    expect(dataOf(await api("PATCH", `/${kind}`, { [kind]: [sample] }))).toEqual(none);
    expect(dataOf(await api("DELETE", `/${kind}`, { [kind]: [sample.id] }))).toEqual(none);
    expect(dataOf(await api("GET", `/${kind}/${sample.id}`, undefined, other.access))).toEqual(sample);
  });

  test("the same request with the same key is executed once", async () => {
    const headers = { "idempotency-key": `save ${kind}` };
    const body = { [kind]: [sample] };
    const save = () => call(node, "POST", `/v2/${kind}`, { token: account.access, headers, body });
    const [first, second] = [await save(), await save()];
    expect(second.text).toBe(first.text);
    expect(second.headers["idempotency-replayed"]).toBe("true");
  });

  test("a key of v3 is refused", async () => {
    for (const token of [account.api, account.sidecar])
      expect(outcome(await api("GET", `/${kind}`, undefined, token))).toBe("401 INVALID_APIKEY");
  });
});

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

test("errors of a contact's chats use the request's spelling", async () => {
  const chats = [
    { chat_type: "viber", chat_id: "37126123456" },
    { chat_type: "whatsapp", chat_id: "+7" },
  ];
  const expected = "400 INVALID_CONTACTS_DATA 0:contact_data[1].chat_id";
  const faulty = { contacts: [{ ...CONTACT, contact_data: chats }] };
  expect(faults(await api("POST", "/contacts", faulty))).toBe(expected);
  expect(faults(await api("PATCH", "/contacts", faulty))).toBe(expected);
  const unknown = { contacts: [{ ...CONTACT, contact_data: [{ ...chats[0], chatId: "1" }] }] };
  expect(faults(await api("POST", "/contacts", unknown))).toBe(
    "400 INVALID_CONTACTS_DATA 0:contact_data[0].chatId",
  );
});

test("a change keeps omitted fields, and null means omitted", async () => {
  const { access } = await addAccount(node.db);
  await api("POST", "/contacts", { contacts: [CONTACT] }, access);
  const contact_data = [{ chat_type: "vk", chat_id: "5" }];
  await api("PATCH", "/contacts", { contacts: [{ id: "c1", contact_data, uri: null, name: null }] }, access);
  expect(dataOf(await api("GET", "/contacts/c1", undefined, access))).toEqual({ ...CONTACT, contact_data });
  await api("POST", "/deals", { deals: [{ ...DEAL, id: 5 }] }, access);
  await api("PATCH", "/deals", { deals: [{ id: 5, contacts: [1, "2"] }] }, access);
  await api("PATCH", "/deals", { deals: [{ id: "5", closed: false }] }, access);
  const changed = { ...DEAL, id: "5", contacts: ["1", "2"], closed: false };
  expect(dataOf(await api("GET", "/deals/5", undefined, access))).toEqual(changed);
  await api("POST", "/users", { users: [USER] }, access);
  await api("PATCH", "/users", { users: [{ id: "u1", phone: "none" }] }, access);
  expect(dataOf(await api("GET", "/users/u1", undefined, access))).toEqual(USER);
});

test("lists have pages of 100", async () => {
  const { access } = await addAccount(node.db);
  const ids = Array.from({ length: 120 }, (_, index) => `k${String(index).padStart(3, "0")}`);
  for (const from of [0, 100]) {
    const deals = ids.slice(from, from + 100).map((id) => ({ ...DEAL, id }));
    await api("POST", "/deals", { deals }, access);
  }
  const page = async (query: string) =>
    (dataOf(await api("GET", `/deals${query}`, undefined, access)) as { id: string }[]).map(({ id }) => id);
  expect(await page("")).toEqual(ids.slice(0, 100));
  expect(await page("?offset=100")).toEqual(ids.slice(100));
  expect(outcome(await api("GET", "/deals?offset=x"))).toBe("400 VALIDATION_ERROR offset");
});

describe("pipelines", () => {
  const PIPELINE = {
    id: "p1",
    name: "Sales",
    stages: [
      { id: "s1", name: "New" },
      { id: "s2", name: "Won" },
    ],
  };

  test("replace the existing ones", async () => {
    const created = await api("POST", "/pipelines", { pipelines: [PIPELINE, { id: 2, name: "Service" }] });
    expect(created.json).toEqual({ data: { pipelines_created: 2, stages_created: 2 }, meta: META });
    expect(dataOf(await api("GET", "/pipelines"))).toEqual([
      PIPELINE,
      { id: "2", name: "Service", stages: [] },
    ]);
  });

  test.each([
    [{}, "400 VALIDATION_ERROR pipelines"],
    [{ pipelines: [{ ...PIPELINE, stages: [] }] }, "400 INVALID_PIPELINES_DATA 0:stages"],
    [
      { pipelines: [{ ...PIPELINE, stages: [{ id: "s", name: "x", more: 1 }] }] },
      "400 INVALID_PIPELINES_DATA 0:stages[0].more",
    ],
  ])("%.70j: %s", async (body, expected) => {
    expect(faults(await api("POST", "/pipelines", body))).toBe(expected);
  });
});
