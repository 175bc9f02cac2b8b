import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { nextAssignee } from "../../../src/core/crm/assignment.ts";
import { findClient } from "../../../src/core/crm/client.ts";
import { saveContacts } from "../../../src/core/crm/contacts.ts";
import { saveDeals } from "../../../src/core/crm/deals.ts";
import { changeCrmSettings } from "../../../src/core/crm/settings.ts";
import { removeUsers, saveUsers, switchNewClients } from "../../../src/core/crm/users.ts";
import { newId } from "../../../src/platform/ids.ts";
import { addAccount, startNode, type TestNode } from "../kit/service.ts";

let node: TestNode;
let scope: { accountId: number };

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());
beforeEach(async () => {
  scope = { accountId: (await addAccount(node.db)).id };
});

async function employ(...ids: string[]): Promise<void> {
  await saveUsers(
    node.core,
    scope,
    ids.map((id) => ({ id, name: id })),
  );
  for (const id of ids) await switchNewClients(node.db, scope, { id, getsNewClients: true });
}

describe("the round robin", () => {
  const turn = () => node.db.tx((tx) => nextAssignee(tx, scope));
  beforeEach(() => changeCrmSettings(node.db, scope, { newClients: "in_turn" }));

  test("goes by id, past employees who were added, removed or switched off", async () => {
    expect(await turn()).toBeNull();
    await employ("b", "a", "c");
    expect([await turn(), await turn(), await turn(), await turn()]).toEqual(["a", "b", "c", "a"]);
    await employ("aa");
    await switchNewClients(node.db, scope, { id: "b", getsNewClients: false });
    expect([await turn(), await turn(), await turn()]).toEqual(["aa", "c", "a"]);
    await removeUsers(node.core, scope, ["a"]);
    expect([await turn(), await turn(), await turn()]).toEqual(["aa", "c", "aa"]);
  });

  test("distributes concurrent assignments evenly", async () => {
    await employ("a", "b", "c");
    const taken = await Promise.all(Array.from({ length: 30 }, turn));
    expect(Object.groupBy(taken, (id) => String(id))).toMatchObject({
      a: Array(10).fill("a"),
      b: Array(10).fill("b"),
      c: Array(10).fill("c"),
    });
  });

  test("does not advance if the transaction fails", async () => {
    await employ("a", "b");
    const failing = node.db.tx(async (tx) => {
      await nextAssignee(tx, scope);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await turn()).toBe("a");
  });
});

describe("the client of a chat", () => {
  const chat = newId();
  beforeEach(async () => {
    await node.db.query("delete from chats where id = $1", [chat]);
    await node.db.query(
      `insert into chats (account_id, id, channel_id, chat_type, chat_id, username, phone)
       values ($1, $2, $2, 'telegram', '100', 'Ann', '79990')`,
      [scope.accountId, chat],
    );
  });
  const find = () => findClient(node.db, scope, chat);
  const save = (id: string, contactChat: object, type: "telegram" | "max" = "telegram") =>
    saveContacts(node.core, scope, [
      { id, responsibleUserId: "u", name: id, contactData: [{ chatType: type, ...contactChat }] },
    ]);

  test.each([
    [{ chatId: "100" }],
    [{ username: "ann" }],
    [{ phone: "79990" }],
    [{ username: "other", phone: "79990" }],
  ])("is found by %j", async (contactChat) => {
    await save("c", contactChat);
    expect(await find()).toEqual({ id: "c", responsibleUserId: null, hasDeal: false });
    await employ("u");
    expect(await find()).toEqual({ id: "c", responsibleUserId: "u", hasDeal: false });
  });

  test.each([
    [{ chatId: "101", username: "ann", phone: "79990" }],
    [{ username: "an" }],
    [{ phone: "79991" }],
  ])("is not found by %j", async (contactChat) => {
    await save("c", contactChat);
    expect(await find()).toBeNull();
  });

  test("is of the chat's type and account", async () => {
    await save("c", { chatId: "100" }, "max");
    const { accountId } = scope;
    scope = { accountId: (await addAccount(node.db)).id };
    await save("c", { chatId: "100" });
    scope = { accountId };
    expect(await find()).toBeNull();
  });

  test("the contact that was uploaded first, with any deal, even a closed one", async () => {
    await save("later", { chatId: "100" });
    await node.db.query("update contacts set created_at = now() + interval '1 s' where account_id = $1", [
      scope.accountId,
    ]);
    await save("first", { phone: "79990" });
    expect(await find()).toMatchObject({ id: "first", hasDeal: false });
    const deal = { id: "d", responsibleUserId: "u", name: "", contacts: ["first"], closed: true };
    await saveDeals(node.core, scope, [deal]);
    expect(await find()).toMatchObject({ id: "first", hasDeal: true });
  });
});
