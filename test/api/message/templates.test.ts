import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { saveAliases } from "../../../src/core/template/aliases.ts";
import { recordModeration, recordTemplates } from "../../../src/core/template/record.ts";
import type { Template } from "../../../src/core/transport/template.ts";
import { newId } from "../../../src/platform/ids.ts";
import { call, outcome } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const CREDENTIALS = { key: "good:1@shop" };

let node: TestNode;
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

/** An account with a channel of a business, whose webhooks on templates are asked for. */
async function newAccount(): Promise<void> {
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, {
    transport: "wapi",
    businessId: "shop",
    credentials: CREDENTIALS,
  });
  await node.db.query(
    "insert into webhook_endpoints (account_id, id, version, url, kinds, secret) values ($1, $2, 'v3', '', $3, $4)",
    [account.id, newId(), ["templateStatus", "waba_template.status_update"], randomBytes(32)],
  );
}

const template = (name: string, more: Partial<Template> = {}): Template => ({
  externalId: `id-${name}`,
  name,
  language: "en_US",
  category: "UTILITY",
  status: "APPROVED",
  components: [{ type: "BODY", text: "Hi {{1}}" }],
  ...more,
});
const source = () => ({ accountId: account.id, channelId });
const v3 = async (query = "") =>
  (await call(node, "GET", `/v3/templates/whatsapp${query}`, { token: account.api })).json as Record<
    string,
    unknown
  >[];
const names = async (query = "") => (await v3(query)).map(({ name }) => name);
const v2 = (method: "GET" | "POST" | "PATCH" | "DELETE", body?: unknown, query = "") =>
  call(node, method, `/v2/templates/waba${query}`, { token: account.access, body });

/** The webhooks, as `kind name status`. */
async function told(): Promise<string[]> {
  const query = "select kind, body from events where account_id = $1 order by id";
  const rows = await node.db.query<{ kind: string; body: string }>(query, [account.id]);
  return rows.map(({ kind, body }) => {
    const { name, status } = JSON.parse(body) as { name: string; status: string };
    return `${kind} ${name} ${status}`;
  });
}
const both = (what: string): string[] => [`templateStatus ${what}`, `waba_template.status_update ${what}`];

describe("reports of the messenger", () => {
  test("the list is stored unchanged, and not published the first time", async () => {
    await newAccount();
    await recordTemplates(node.core, source(), [
      template("b"),
      template("a", { status: "REJECTED", reason: "SCAM" }),
    ]);
    expect(await v3()).toEqual([
      {
        templateGuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: "a",
        title: "a",
        category: "UTILITY",
        language: "en_US",
        status: "rejected",
        reason: "SCAM",
        components: [{ type: "BODY", text: "Hi {{1}}" }],
        channels: [channelId],
        templateCode: expect.stringMatching(/^@template: [0-9a-f-]{36} \{ \[\[1\]\] \}$/),
      },
      expect.objectContaining({ name: "b", status: "approved" }),
    ]);
    expect(await told()).toEqual([]);
  });

  test("changes are published once, and ids stay", async () => {
    await newAccount();
    await recordTemplates(node.core, source(), [template("a"), template("b")]);
    const [before] = await v3();
    const changed = [template("a", { status: "PAUSED" }), template("b")];
    await recordTemplates(node.core, source(), changed);
    await recordTemplates(node.core, source(), changed);
    expect(await told()).toEqual(both("a PAUSED"));
    expect((await v3())[0]).toEqual({ ...before, status: "paused" });
  });

  test("missing templates are deleted, and come back with the same id", async () => {
    await newAccount();
    await recordTemplates(node.core, source(), [template("a"), template("b")]);
    const [first] = await v3();
    await recordTemplates(node.core, source(), [template("b")]);
    expect(await names()).toEqual(["b"]);
    await recordTemplates(node.core, source(), [template("a"), template("b")]);
    expect(await v3()).toEqual([first, expect.objectContaining({ name: "b" })]);
    expect(await told()).toEqual([]);
  });

  test.each(["APPROVED", "REJECTED", "PAUSED", "DISABLED"] as const)("moderation: %s", async (status) => {
    await newAccount();
    await recordTemplates(node.core, source(), [template("a", { status: "PENDING" })]);
    const { components: _, ...news } = template("a", { status, category: "" });
    await recordModeration(node.core, source(), news);
    await recordModeration(node.core, source(), news);
    expect(await told()).toEqual(both(`a ${status}`));
    expect(await v3()).toMatchObject([
      { status: status.toLowerCase(), category: "UTILITY", components: [{ type: "BODY" }] },
    ]);
  });

  test("moderation of a template not known before", async () => {
    await newAccount();
    const { components: _, ...news } = template("new", { status: "PENDING" });
    await recordModeration(node.core, source(), news);
    expect(await told()).toEqual(both("new PENDING"));
    expect(await v3()).toMatchObject([{ name: "new", components: [] }]);
  });

  test("two channels of a business have the same templates, and changes are published once", async () => {
    await newAccount();
    const second = await addChannel(node, account, { transport: "wapi", businessId: "shop" });
    const other = await addChannel(node, account, { transport: "wapi", businessId: "other" });
    await recordTemplates(node.core, source(), [template("a")]);
    const { components: _, ...news } = template("a", { status: "DISABLED" });
    await Promise.all(
      [channelId, second].map((id) => recordModeration(node.core, { ...source(), channelId: id }, news)),
    );
    expect(await told()).toEqual(both("a DISABLED"));
    expect(await v3()).toMatchObject([{ channels: [channelId, second].toSorted() }]);
    await recordTemplates(node.core, { ...source(), channelId: other }, []);
    expect(await names()).toEqual(["a"]);
  });

  test("a channel without a business, or a deleted one, has no templates", async () => {
    await newAccount();
    const lone = await addChannel(node, account, { transport: "wapi" });
    await recordTemplates(node.core, { ...source(), channelId: lone }, [template("a")]);
    await call(node, "DELETE", `/v2/channels/${channelId}`, { token: account.access });
    await recordTemplates(node.core, source(), [template("a")]);
    expect(await v3()).toEqual([]);
  });
});

test("templates disappear with the last channel of their business, and come back with the next", async () => {
  await newAccount();
  await recordTemplates(node.core, source(), [template("a")]);
  const [before] = await v3();
  await call(node, "DELETE", `/v2/channels/${channelId}`, { token: account.access });
  expect(await v3()).toEqual([]);
  const next = await addChannel(node, account, { transport: "wapi", businessId: "shop" });
  expect(await v3()).toEqual([{ ...before, channels: [next] }]);
});

describe("an id of another service", () => {
  const OLD = "5e0c7f5d-6f0b-4c3e-9f57-1c8f6f2a3b33";
  const send = (owner: TestAccount) =>
    call(node, "POST", "/v2/messages", {
      token: owner.access,
      body: {
        channel_id: channelId,
        recipient: { chat_type: "whatsapp", chat_id: "79001234567" },
        template: { id: OLD.toUpperCase(), values: ["Ann"] },
      },
    });

  test("names the template as soon as the messenger reports it, and what is stored has our id", async () => {
    await newAccount();
    const alias = { id: OLD, name: "a", language: "en_US", channelIds: [] };
    await saveAliases(node.db, { accountId: account.id }, [alias, { ...alias, channelIds: [channelId] }]);
    expect(outcome(await send(account))).toBe("404 TEMPLATE_NOT_FOUND");
    await recordTemplates(node.core, source(), [
      template("a", { externalId: "german", language: "de" }),
      template("a"),
      template("b"),
    ]);
    const answer = await send(account);
    expect(answer.status).toBe(200);
    const ours = (await v3()).find(({ name, language }) => name === "a" && language === "en_US");
    const [stored] = await node.db.query<{ id: string }>(
      "select content #>> '{template,id}' as id from messages where account_id = $1",
      [account.id],
    );
    expect(stored?.id).toBe(ours?.["templateGuid"]);
    const byId = await call(node, "GET", `/v2/templates/waba/${OLD}`, { token: account.access });
    expect(byId.json).toMatchObject({ data: { template_id: ours?.["templateGuid"] } });
  });

  test("of businesses with the same template, that of the former channels is meant", async () => {
    await newAccount();
    const other = await addChannel(node, account, { transport: "wapi", businessId: "other shop" });
    await recordTemplates(node.core, source(), [template("a")]);
    await recordTemplates(node.core, { accountId: account.id, channelId: other }, [template("a")]);
    for (const former of [channelId, other]) {
      const alias = { id: OLD, name: "a", language: null, channelIds: [former] };
      await saveAliases(node.db, { accountId: account.id }, [alias]);
      const byId = await call(node, "GET", `/v2/templates/waba/${OLD}`, { token: account.access });
      expect(byId.json).toMatchObject({ data: { channels: [former] } });
    }
    const stranger = await addAccount(node.db);
    const asked = await call(node, "GET", `/v2/templates/waba/${OLD}`, { token: stranger.access });
    expect(outcome(asked)).toBe("404 TEMPLATE_NOT_FOUND");
  });
});

describe("lists", () => {
  test("pages of the account's own, by name and language", async () => {
    await newAccount();
    const list = ["c", "a", "b"].map((name) => template(name));
    await recordTemplates(node.core, source(), [
      ...list,
      template("a", { externalId: "german", language: "de" }),
    ]);
    expect(await names("?limit=2")).toEqual(["a", "a"]);
    expect((await v3("?limit=2")).map(({ language }) => language)).toEqual(["de", "en_US"]);
    expect(await names("?limit=2&offset=2")).toEqual(["b", "c"]);
    expect(await names("?limit=0&offset=3")).toEqual(["c"]);
    expect(await names("?offset=4")).toEqual([]);
    const stranger = await addAccount(node.db);
    expect((await call(node, "GET", "/v3/templates/whatsapp", { token: stranger.api })).json).toEqual([]);
    expect((await call(node, "GET", "/v3/templates/whatsapp", { token: account.sidecar })).status).toBe(200);
  });

  test.each(["limit=x", "offset=-1"])("%s", async (query) => {
    await newAccount();
    const answer = await call(node, "GET", `/v3/templates/whatsapp?${query}`, { token: account.api });
    expect(outcome(answer)).toBe(`400 VALIDATION_ERROR ${query.split("=")[0]}`);
  });
});

describe("changes by clients", () => {
  const BODY = [{ type: "BODY", text: "Hi" }];
  const draft = (more: object = {}) => ({
    channel_id: channelId,
    name: "hello",
    language: "en_US",
    category: "UTILITY",
    components: BODY,
    ...more,
  });

  test("create, change, remove", async () => {
    await newAccount();
    const created = await v2("POST", draft());
    expect(created).toMatchObject({
      status: 200,
      json: { data: { name: "hello", status: "PENDING", components: BODY, channels: [channelId] } },
    });
    const { template_id: id } = (created.json as { data: { template_id: string } }).data;
    expect((await v2("GET")).json).toMatchObject({ data: [{ template_id: id, name: "hello" }] });

    const changed = await v2("PATCH", { template_id: id, components: [{ type: "BODY", text: "Hello" }] });
    expect(changed.json).toMatchObject({ data: { template_id: id, components: [{ text: "Hello" }] } });
    expect(await told()).toEqual([]);

    expect((await v2("DELETE", undefined, `?template_id=${id}`)).json).toMatchObject({ data: null });
    expect((await v2("GET")).json).toMatchObject({ data: [] });
    expect(outcome(await v2("DELETE", undefined, `?template_id=${id}`))).toBe("404 TEMPLATE_NOT_FOUND");
  });

  test("the same with the fields in `template`, and by id in the path", async () => {
    await newAccount();
    const created = await v2("POST", { template: draft(), is_draft: false });
    const { template_id: id } = (created.json as { data: { template_id: string } }).data;
    const { channel_id, ...rest } = draft({ name: "second" });
    expect((await v2("POST", { channel_id, template: rest })).status).toBe(200);
    expect((await v2("GET", undefined, `/${id}`)).json).toMatchObject({ data: { template_id: id } });
    const components = [{ type: "BODY", text: "Hello" }];
    expect((await v2("PATCH", { template: { components } }, `/${id}`)).json).toMatchObject({
      data: { template_id: id, components },
    });
    expect((await v2("DELETE", undefined, `/${id}`)).json).toMatchObject({ data: null });
    for (const method of ["GET", "PATCH", "DELETE"] as const)
      expect(outcome(await v2(method, method === "PATCH" ? {} : undefined, `/${id}`))).toBe(
        "404 TEMPLATE_NOT_FOUND",
      );
    expect(outcome(await v2("POST", { template: draft(), is_draft: true }))).toBe(
      "400 VALIDATION_ERROR is_draft",
    );
    expect(outcome(await v2("POST", { template: { ...draft(), name: "Bad" } }))).toBe(
      "400 VALIDATION_ERROR name",
    );
  });

  test.each<[string, object, string]>([
    ["a name that the messenger has not", { name: "Hello" }, "400 VALIDATION_ERROR name"],
    ["another category", { category: "SPAM" }, "400 VALIDATION_ERROR category"],
    ["no parts", { components: [] }, "400 VALIDATION_ERROR components"],
    ["a part without a type", { components: [{}] }, "400 VALIDATION_ERROR components[0].type"],
    ["a channel that nobody has", { channel_id: newId() }, "404 CHANNEL_NOT_FOUND"],
    ["what the messenger refuses", { name: "bad" }, "400 TEMPLATE_REFUSED"],
    ["a messenger that is away", { name: "away" }, "503 MESSENGER_UNAVAILABLE"],
    ["an unknown field", { title: "x" }, "400 VALIDATION_ERROR title"],
  ])("%s", async (_name, more, expected) => {
    await newAccount();
    expect(outcome(await v2("POST", draft(more)))).toBe(expected);
    expect(await v3()).toEqual([]);
  });

  test("the messenger's error is returned", async () => {
    await newAccount();
    expect((await v2("POST", draft({ name: "bad" }))).json).toMatchObject({
      data: { details: "(#192) too many words" },
    });
  });

  test.each(["whatsapp", "unlinked"])("a channel without templates: %s", async (kind) => {
    await newAccount();
    const transport = kind === "unlinked" ? "wapi" : kind;
    const other = await addChannel(node, account, { transport, businessId: "x" });
    const expected = kind === "unlinked" ? "MESSAGE_CHANNEL_UNAVAILABLE" : "MESSAGE_TEMPLATE_NOT_SUPPORTED";
    expect(outcome(await v2("POST", draft({ channel_id: other })))).toBe(`400 ${expected}`);
  });

  test("another account's template is a missing one", async () => {
    await newAccount();
    await recordTemplates(node.core, source(), [template("a")]);
    const [foreign] = await v3();
    await newAccount();
    const id = foreign?.["templateGuid"];
    expect(outcome(await v2("PATCH", { template_id: id }))).toBe("404 TEMPLATE_NOT_FOUND");
    expect(outcome(await v2("DELETE", undefined, `?template_id=${id}`))).toBe("404 TEMPLATE_NOT_FOUND");
    expect(outcome(await v2("GET", undefined, `/${id}`))).toBe("404 TEMPLATE_NOT_FOUND");
  });
});
