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
const api = (method: Method, path: string, body?: unknown, token = account.api): Promise<Answer> =>
  call(node, method, `/v3${path}`, { token, ...(body === undefined ? {} : { body }) });

/** `status error [index:field,field …]` of an answer. */
function faults(answer: Answer): string {
  const { data } = (answer.json ?? {}) as { data?: { index: number; fields: string[] }[] };
  const places = Array.isArray(data) ? data.map(({ index, fields }) => `${index}:${fields.toSorted()}`) : [];
  return [outcome({ ...answer, json: { ...(answer.json as object), data: undefined } }), ...places].join(" ");
}

const CONTACT = {
  id: "c1",
  responsibleUserId: "u1",
  name: "Ann",
  contactData: [{ chatType: "whatsapp", chatId: "79990001122" }],
  uri: "https://crm.example/c1",
};
const DEAL = {
  id: "d1",
  responsibleUserId: "u1",
  name: "Doors",
  uri: "https://crm.example/d1",
  contacts: ["c1", "c2"],
  closed: false,
};
const USER = { id: "u1", name: "Bob" };
const PIPELINE = { id: "p1", name: "Sales", stages: [{ id: "s1", name: "New" }] };

const KINDS = [
  ["contacts", CONTACT, "CONTACT_NOT_FOUND", "INVALID_CONTACTS_DATA"],
  ["deals", DEAL, "DEAL_NOT_FOUND", "INVALID_DEALS_DATA"],
  ["users", USER, "USER_NOT_FOUND", "INVALID_USERS_DATA"],
] as const;

describe.each(KINDS)("%s", (kind, sample, missing, faulty) => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...sample, id: `n${index}` }));

  test("are stored, found, changed and removed", async () => {
    const saved = await api("POST", `/${kind}`, [sample]);
    expect([saved.status, saved.json]).toEqual([200, {}]);
    expect((await api("GET", `/${kind}/${sample.id}`)).json).toEqual(sample);
    const renamed = { ...sample, name: "Another" };
    expect((await api("POST", `/${kind}`, [sample, renamed])).status).toBe(200);
    expect((await api("GET", `/${kind}/${sample.id}`)).json).toEqual(renamed);
    expect((await api("DELETE", `/${kind}/${sample.id}`)).json).toEqual({});
    expect(outcome(await api("GET", `/${kind}/${sample.id}`))).toBe(`404 ${missing}`);
    expect(outcome(await api("DELETE", `/${kind}/${sample.id}`))).toBe(`404 ${missing}`);
  });

  test("an id may be any text", async () => {
    const ids = ["a/b ?", "Ивáн", "bulk", "x".repeat(100), "00000000-0000-4000-8000-000000000000"];
    await api(
      "POST",
      `/${kind}`,
      ids.map((id) => ({ ...sample, id })),
    );
    for (const id of ids)
      expect((await api("GET", `/${kind}/${encodeURIComponent(id)}`)).json).toEqual({ ...sample, id });
    expect((await api("PATCH", `/${kind}/bulk_delete`, ids)).json).toEqual([]);
  });

  test.each(["%00", "%0A", "x".repeat(500), "C1", "c1%20"])("GET and DELETE %.10s: 404", async (id) => {
    expect(outcome(await api("GET", `/${kind}/${id}`))).toBe(`404 ${missing}`);
    expect(outcome(await api("DELETE", `/${kind}/${id}`))).toBe(`404 ${missing}`);
  });

  test("at most 100 in a request", async () => {
    expect((await api("POST", `/${kind}`, many(100))).status).toBe(200);
    expect(outcome(await api("POST", `/${kind}`, many(101)))).toBe("400 TOO_MANY_ENTITIES");
    expect(outcome(await api("POST", `/${kind}`, Array(101).fill({})))).toBe("400 TOO_MANY_ENTITIES");
    const ids = many(101).map(({ id }) => id);
    expect(outcome(await api("PATCH", `/${kind}/bulk_delete`, ids))).toBe("400 TOO_MANY_ENTITIES");
    const gone = await api("PATCH", `/${kind}/bulk_delete`, ["none", ...ids.slice(1, 99), "none"]);
    expect([gone.status, gone.json]).toEqual([200, ["none"]]);
    expect((await api("GET", `/${kind}/n0`)).status).toBe(200);
    expect((await api("PATCH", `/${kind}/bulk_delete`, ids.slice(1))).json).toEqual([
      ...ids.slice(1, 99),
      "n100",
    ]);
  });

  test("numbers are accepted as ids, and stored as their digits", async () => {
    const numbered = {
      ...sample,
      id: 4711,
      ...("responsibleUserId" in sample ? { responsibleUserId: 5 } : {}),
    };
    expect((await api("POST", `/${kind}`, [numbered])).status).toBe(200);
    expect((await api("GET", `/${kind}/4711`)).json).toEqual({
      ...numbered,
      id: "4711",
      ...("responsibleUserId" in sample ? { responsibleUserId: "5" } : {}),
    });
    expect((await api("PATCH", `/${kind}/bulk_delete`, [4711, 4712])).json).toEqual(["4712"]);
  });

  test("one invalid entity, and nothing is stored", async () => {
    const answer = await api("POST", `/${kind}`, [
      { ...sample, id: "good" },
      { ...sample, id: 1.5 },
    ]);
    expect(answer.json).toEqual({
      error: faulty,
      description: expect.stringContaining("none was stored"),
      data: [{ index: 1, fields: ["id"] }],
    });
    expect((await api("GET", `/${kind}/good`)).status).toBe(404);
  });

  test.each([
    [[{}], /^400 INVALID_\w+ 0:(contactData,|contacts,)?id,name(,responsibleUserId)?$/],
    [["x", null, 5, [sample]], /^400 INVALID_\w+ 0: 1: 2: 3:$/],
    [[{ ...sample, id: "" }], /^400 INVALID_\w+ 0:id$/],
    [[{ ...sample, id: "x".repeat(201) }], /^400 INVALID_\w+ 0:id$/],
    [[{ ...sample, id: "a\nb" }], /^400 INVALID_\w+ 0:id$/],
    [[{ ...sample, name: null }, sample, { ...sample, name: 5 }], /^400 INVALID_\w+ 0:name 2:name$/],
    [[{ ...sample, name: "x".repeat(201) }], /^400 INVALID_\w+ 0:name$/],
    [{ 0: sample }, /^400 VALIDATION_ERROR$/],
    ["text", /^400 VALIDATION_ERROR$/],
    [[], /^200$/],
    [[{ ...sample, name: "x".repeat(200), more: 1 }], /^200$/],
    [[{ ...sample, name: "" }], /^200$/],
    [[{ ...sample, id: 2 ** 53 }], /^400 INVALID_\w+ 0:id$/],
    [[{ ...sample, name: "a\u0000b" }], /^400 VALIDATION_ERROR$/],
  ])("POST %j: %s", async (body, expected) => {
    expect(faults(await api("POST", `/${kind}`, body))).toMatch(expected);
  });

  test.each([
    [[], "200"],
    [["x", 1.5, null, ""], `400 ${faulty} 1: 2: 3:`],
    [{ ids: ["x"] }, "400 VALIDATION_ERROR"],
  ])("bulk_delete of %j: %s", async (body, expected) => {
    expect(faults(await api("PATCH", `/${kind}/bulk_delete`, body))).toBe(expected);
  });

  test("another account's entities are missing, and its ids are separate", async () => {
    const other = await addAccount(node.db);
    const theirs = { ...sample, id: "shared", name: "Theirs" };
    await api("POST", `/${kind}`, [theirs], other.api);
    expect(outcome(await api("GET", `/${kind}/shared`))).toBe(`404 ${missing}`);
    expect(outcome(await api("DELETE", `/${kind}/shared`))).toBe(`404 ${missing}`);
    expect((await api("PATCH", `/${kind}/bulk_delete`, ["shared"])).json).toEqual(["shared"]);
    await api("POST", `/${kind}`, [{ ...sample, id: "shared", name: "Ours" }]);
    expect((await api("GET", `/${kind}/shared`, undefined, other.api)).json).toEqual(theirs);
    const listed = (await api("GET", `/${kind}`, undefined, other.api)).json;
    expect(JSON.stringify(listed)).not.toContain("Ours");
  });

  test("the same request with the same key is executed once", async () => {
    const headers = { "idempotency-key": `save ${kind}` };
    const save = (name: string) =>
      call(node, "POST", `/v3/${kind}`, {
        token: account.api,
        headers,
        body: [{ ...sample, id: "once", name }],
      });
    expect((await save("First")).json).toEqual({});
    expect((await save("First")).headers["idempotency-replayed"]).toBe("true");
    expect(outcome(await save("Second"))).toBe("409 IDEMPOTENCY_KEY_REUSED");
  });

  test.each([
    ["GET", ""],
    ["POST", ""],
    ["GET", "/x"],
    ["DELETE", "/x"],
    ["PATCH", "/bulk_delete"],
  ] as const)("%s %s is closed to a sidecar key, a token of v2 and nobody", async (method, path) => {
    expect(outcome(await api(method, `/${kind}${path}`, undefined, account.sidecar))).toBe("403 FORBIDDEN");
    expect(outcome(await api(method, `/${kind}${path}`, undefined, account.access))).toBe(
      "401 INVALID_APIKEY",
    );
    expect(outcome(await api(method, `/${kind}${path}`, undefined, "x"))).toBe("401 INVALID_APIKEY");
  });
});

describe("pages", () => {
  test.each([
    ["contacts", CONTACT],
    ["deals", DEAL],
  ])("%s are listed in pages of 100, by id", async (kind, sample) => {
    const { api: token } = await addAccount(node.db);
    const ids = Array.from({ length: 230 }, (_, index) => `k${String(index).padStart(3, "0")}`);
    const shuffled = ids.toSorted((a, b) => a.slice(-1).localeCompare(b.slice(-1)));
    for (const from of [0, 100, 200]) {
      const body = shuffled.slice(from, from + 100).map((id) => ({ ...sample, id }));
      await api("POST", `/${kind}`, body, token);
    }
    const page = async (query: string) => {
      const { json } = await api("GET", `/${kind}${query}`, undefined, token);
      const { count, data } = json as { count: number; data: { id: string }[] };
      return [count, ...data.map(({ id }) => id)];
    };
    expect(await page("")).toEqual([230, ...ids.slice(0, 100)]);
    expect(await page("?offset=")).toEqual([230, ...ids.slice(0, 100)]);
    expect(await page("?offset=100&limit=5")).toEqual([230, ...ids.slice(100, 200)]);
    expect(await page("?offset=200")).toEqual([230, ...ids.slice(200)]);
    expect(await page("?offset=999999999")).toEqual([230]);
    const { json } = await api("GET", `/${kind}?offset=229`, undefined, token);
    expect(json).toEqual({ count: 230, data: [{ ...sample, id: "k229" }] });
  });

  test.each(["-1", "x", "1.5", "10000000000", "1&offset=2"])("offset %s is refused", async (offset) => {
    expect(outcome(await api("GET", `/contacts?offset=${offset}`))).toBe("400 VALIDATION_ERROR offset");
    expect(outcome(await api("GET", `/deals?offset=${offset}`))).toBe("400 VALIDATION_ERROR offset");
  });
});

test.each([
  [
    "contacts",
    "contact_chats",
    "contact_id",
    CONTACT,
    "contactData",
    CONTACT.contactData,
    [{ chatType: "vk", chatId: "5" }],
  ],
  ["deals", "deal_contacts", "deal_id", DEAL, "contacts", DEAL.contacts, ["c2", "c1"]],
] as const)("%s: only what has changed is written", async (kind, table, of, sample, field, few, other) => {
  const owner = await addAccount(node.db);
  const save = async (...each: (readonly unknown[])[]): Promise<unknown[]> => {
    const entities = each.map((items, index) => ({ ...sample, id: `${index}`, [field]: items }));
    expect((await api("POST", `/${kind}`, entities, owner.api)).status).toBe(200);
    expect((await api("GET", `/${kind}`, undefined, owner.api)).json).toMatchObject({ data: entities });
    const stored = `select xmin from ${kind} where account_id = $1 order by id`;
    const items = `select xmin from ${table} where account_id = $1 order by ${of}, position`;
    return [await node.db.query(stored, [owner.id]), await node.db.query(items, [owner.id])];
  };
  const first = await save(few, [], other);
  expect(await save(few, [], other)).toEqual(first);
  const shorter = await save([], [], other);
  expect(shorter).toEqual([first[0], (first[1] as unknown[]).slice(-other.length)]);
  const [entities, items] = await save([], few, [...other, ...few]);
  expect(entities).toEqual(first[0]);
  expect(items).toHaveLength(2 * few.length + other.length);
});

describe("contacts", () => {
  test.each<[object, string]>([
    [{ chatType: "telegram", chatId: "100", username: "ann", phone: "79990001122" }, "200"],
    [{ chatType: "whatsapp", chatId: "236498711101@lid" }, "200"],
    [{ chatType: "whatsapp", chatId: "US.1474000000000001" }, "200"],
    [{ chatType: "telegram", username: "ann" }, "200"],
    [{ chatType: "telegram", chatId: null, phone: "79990001122" }, "200"],
    [{ chatType: "max", phone: "79990001122" }, "200"],
    [{ chatType: "whatsgroup", chatId: "79990001122-1600000000" }, "200"],
    [{ chatType: "instagram", chatId: "ann.shop" }, "200"],
    [{ chatType: "telegram" }, "contactData[0].chatId"],
    [{ chatType: "telegroup", username: "ann" }, "contactData[0].chatId"],
    [{ chatType: "max", username: "ann" }, "contactData[0].chatId"],
    [{ chatType: "whatsapp", phone: "79990001122" }, "contactData[0].chatId"],
    [{ chatType: "whatsapp", chatId: "+7 999" }, "contactData[0].chatId"],
    [{ chatType: "viber", chatId: "7999x" }, "contactData[0].chatId"],
    [{ chatType: "instagram", chatId: "@" }, "contactData[0].chatId"],
    [{ chatType: "telegram", username: "@" }, "contactData[0].username"],
    [{ chatType: "telegram", phone: "+7999" }, "contactData[0].phone"],
    [{ chatType: "telegram", chatId: 100 }, "contactData[0].chatId"],
    [{ chatType: "signal", chatId: "1" }, "contactData[0].chatType"],
    [{ chatId: "1" }, "contactData[0].chatType"],
  ])("a chat %j: %s", async (chat, expected) => {
    const answer = await api("POST", "/contacts", [{ ...CONTACT, contactData: [chat] }]);
    expect(faults(answer)).toBe(expected === "200" ? "200" : `400 INVALID_CONTACTS_DATA 0:${expected}`);
    if (expected !== "200") return;
    const given = Object.fromEntries(Object.entries(chat).filter(([, value]) => value !== null));
    expect((await api("GET", "/contacts/c1")).json).toMatchObject({ contactData: [given] });
  });

  test("names of chats are normalised, however the CRM spells them", async () => {
    const contactData = [
      { chatType: "whatsapp", chatId: "+7 (999) 000-11-22", phone: "00 7 999 000 11 22" },
      { chatType: "whatsgroup", chatId: "120363041234567890@g.us" },
      { chatType: "instagram", chatId: "@ann.shop" },
      { chatType: "telegram", username: "@ann" },
    ];
    expect((await api("POST", "/contacts", [{ ...CONTACT, id: "spelled", contactData }])).status).toBe(200);
    expect((await api("GET", "/contacts/spelled")).json).toMatchObject({
      contactData: [
        { chatType: "whatsapp", chatId: "79990001122", phone: "79990001122" },
        { chatType: "whatsgroup", chatId: "120363041234567890" },
        { chatType: "instagram", chatId: "ann.shop" },
        { chatType: "telegram", username: "ann" },
      ],
    });
  });

  test("several invalid contacts are reported at once, and the error is not stored for the key", async () => {
    const headers = { "idempotency-key": "faulty" };
    const save = (body: unknown) => call(node, "POST", "/v3/contacts", { token: account.api, headers, body });
    const chats = [
      { chatType: "viber", chatId: "37126123456" },
      { chatType: "viber", chatId: "x" },
    ];
    const body = [
      CONTACT,
      { ...CONTACT, contactData: chats },
      { ...CONTACT, contactData: [{ chatType: "telegram", username: "@" }] },
    ];
    expect(faults(await save(body))).toBe(
      "400 INVALID_CONTACTS_DATA 1:contactData[1].chatId 2:contactData[0].username",
    );
    expect((await save([CONTACT])).status).toBe(200);
  });

  test.each([
    [{ responsibleUserId: "" }, "responsibleUserId"],
    [{ responsibleUserId: undefined }, "responsibleUserId"],
    [{ responsibleUserId: "x".repeat(256) }, "responsibleUserId"],
    [{ contactData: {} }, "contactData"],
    [{ contactData: [5] }, "contactData[0]"],
    [{ contactData: Array(101).fill(CONTACT.contactData[0]) }, "contactData"],
    [{ uri: "x".repeat(201) }, "uri"],
    [{ uri: 5 }, "uri"],
  ])("%.60j: faulty", async (change, field) => {
    expect(faults(await api("POST", "/contacts", [{ ...CONTACT, ...change }]))).toBe(
      `400 INVALID_CONTACTS_DATA 0:${field}`,
    );
  });

  test("existing contacts are replaced, chats and address too", async () => {
    const more = { ...CONTACT, contactData: [...CONTACT.contactData, { chatType: "vk", chatId: "5" }] };
    await api("POST", "/contacts", [more]);
    const { uri: _uri, ...less } = { ...CONTACT, contactData: [{ chatType: "avito", chatId: "a" }] };
    await api("POST", "/contacts", [less]);
    expect((await api("GET", "/contacts/c1")).json).toEqual(less);
  });

  test("concurrent saves of the same contacts leave each as one of them", async () => {
    const saves = Array.from({ length: 12 }, (_, saver) =>
      Array.from({ length: 20 }, (_, index) => ({
        ...CONTACT,
        id: `same${(index * (saver % 2 === 0 ? 1 : 19)) % 20}`,
        name: `saver ${saver}`,
        contactData: Array.from({ length: 1 + (saver % 3) }, () => ({ chatType: "vk", chatId: `${saver}` })),
      })),
    );
    const answers = await Promise.all(saves.map((body) => api("POST", "/contacts", body)));
    expect(answers.map(({ status }) => status)).toEqual(saves.map(() => 200));
    for (let index = 0; index < 20; index++) {
      const { name, contactData } = (await api("GET", `/contacts/same${index}`)).json as typeof CONTACT;
      const saver = Number(name.split(" ")[1]);
      expect(contactData).toEqual(Array(1 + (saver % 3)).fill({ chatType: "vk", chatId: `${saver}` }));
    }
  });
});

describe("deals", () => {
  test.each([
    [{ contacts: undefined }, "contacts"],
    [{ contacts: "c1" }, "contacts"],
    [{ contacts: ["c1", ""] }, "contacts[1]"],
    [{ contacts: [{}] }, "contacts[0]"],
    [{ contacts: Array(101).fill("c1") }, "contacts"],
    [{ closed: "false" }, "closed"],
    [{ uri: "x".repeat(201) }, "uri"],
    [{ responsibleUserId: 5.5 }, "responsibleUserId"],
  ])("%.60j: faulty", async (change, field) => {
    expect(faults(await api("POST", "/deals", [{ ...DEAL, ...change }]))).toBe(
      `400 INVALID_DEALS_DATA 0:${field}`,
    );
  });

  test("numbers are accepted as ids, and a deal is open by default", async () => {
    await api("POST", "/deals", [{ id: 77, responsibleUserId: "u1", name: "N", contacts: [5, "6"] }]);
    expect((await api("GET", "/deals/77")).json).toEqual({
      id: "77",
      responsibleUserId: "u1",
      name: "N",
      contacts: ["5", "6"],
      closed: false,
    });
    await api("POST", "/deals", [{ ...DEAL, id: 77, closed: true, contacts: [] }]);
    expect((await api("GET", "/deals/77")).json).toEqual({ ...DEAL, id: "77", closed: true, contacts: [] });
    expect((await api("PATCH", "/deals/bulk_delete", [77, 78])).json).toEqual(["78"]);
  });
});

describe("users", () => {
  test("an invalid phone is omitted, for that user only", async () => {
    const { api: token } = await addAccount(node.db);
    const phones = ["37192612345", "+371 92612345", "1", "x", ""];
    await api(
      "POST",
      "/users",
      phones.map((phone, index) => ({ id: `${index}`, name: `${9 - index}`, phone })),
      token,
    );
    const found = await Promise.all(
      phones.map((_, index) => api("GET", `/users/${index}`, undefined, token)),
    );
    expect(found.map(({ json }) => json)).toEqual([
      { id: "0", name: "9", phone: "37192612345" },
      ...[1, 2, 3, 4].map((index) => ({ id: `${index}`, name: `${9 - index}` })),
    ]);
    expect((await api("GET", "/users", undefined, token)).json).toEqual(
      [4, 3, 2, 1, 0].map((index) => ({ id: `${index}`, name: `${9 - index}` })),
    );
    expect(faults(await api("POST", "/users", [{ ...USER, phone: 5 }]))).toBe(
      "400 INVALID_USERS_DATA 0:phone",
    );
  });

  test("uploading an employee again keeps the switch", async () => {
    await api("POST", "/users", [USER]);
    await node.db.query("update crm_users set gets_new_clients = true where account_id = $1", [account.id]);
    await api("POST", "/users", [{ ...USER, name: "Robert" }]);
    expect(
      await node.db.query("select gets_new_clients from crm_users where account_id = $1 and id = 'u1'", [
        account.id,
      ]),
    ).toEqual([{ gets_new_clients: true }]);
  });
});

describe("pipelines", () => {
  test("replace the existing ones, in their order", async () => {
    const second = { id: "a", name: "Service" };
    expect((await api("POST", "/pipelines", [PIPELINE, second])).json).toEqual({});
    expect((await api("GET", "/pipelines")).json).toEqual([PIPELINE, { ...second, stages: [] }]);
    const stages = [
      { id: "s2", name: "Won" },
      { id: "s1", name: "New" },
      { id: "s2", name: "Lost" },
    ];
    await api("POST", "/pipelines", [
      { id: 7, name: "Sales", stages },
      { ...PIPELINE, id: "7", stages },
    ]);
    expect((await api("GET", "/pipelines")).json).toEqual([
      { id: "7", name: "Sales", stages: [{ id: "s2", name: "Lost" }, stages[1]] },
    ]);
    const other = await addAccount(node.db);
    expect((await api("GET", "/pipelines", undefined, other.api)).json).toEqual([]);
    await api("POST", "/pipelines", [], other.api);
    expect((await api("GET", "/pipelines")).json).toHaveLength(1);
    expect((await api("POST", "/pipelines", [])).status).toBe(200);
    expect((await api("GET", "/pipelines")).json).toEqual([]);
  });

  test.each([
    [[{ ...PIPELINE, stages: [] }], "400 INVALID_PIPELINES_DATA 0:stages"],
    [[PIPELINE, { ...PIPELINE, id: "x".repeat(101) }], "400 INVALID_PIPELINES_DATA 1:id"],
    [[{ ...PIPELINE, name: 5 }], "400 INVALID_PIPELINES_DATA 0:name"],
    [[{ ...PIPELINE, stages: [{ id: "s" }] }], "400 INVALID_PIPELINES_DATA 0:stages[0].name"],
    [[{ ...PIPELINE, stages: [{ id: 5.5, name: "x" }] }], "400 INVALID_PIPELINES_DATA 0:stages[0].id"],
    [{}, "400 VALIDATION_ERROR"],
  ])("%.80j: %s", async (body, expected) => {
    expect(faults(await api("POST", "/pipelines", body))).toBe(expected);
  });
});
