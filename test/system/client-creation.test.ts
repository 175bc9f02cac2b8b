import { afterEach, expect, test, vi } from "vitest";
import { answerJson, type Crm, type RequestKind, startCrm } from "../kit/crm.ts";
import { messageBody, must, type Stand, startStand } from "../kit/stand.ts";

let stand: Stand;
let crm: Crm;

afterEach(async () => {
  await crm.receiver.stop();
  await stand.stop();
});

/** When the service is killed: when the CRM gets the request, or after its response was sent. */
const MOMENTS: readonly { readonly at: RequestKind; readonly answered: boolean }[] = [
  { at: "createContact", answered: false },
  { at: "createContact", answered: true },
  { at: "createDeal", answered: false },
  { at: "createDeal", answered: true },
];

test("kill -9 between any two steps: each client has one contact and one deal, in this order", async () => {
  stand = await startStand({ settings: { NODE_LEASE_MS: "1500", WEBHOOK_SCHEDULE: "100ms" } });
  crm = await startCrm();
  let service = await stand.start();
  const { account } = stand;
  const channel = await stand.addChannel(MOMENTS.length, { account, receiver: crm.receiver });
  // Excludes the people's first messages.
  await crm.receiver.until(() => crm.receiver.taken().length >= MOMENTS.length);
  await assign("in_turn");

  for (const [index, { at, answered }] of MOMENTS.entries()) {
    const moment = Promise.withResolvers<void>();
    crm.answer = (request, response) => {
      crm.answer = request.kind === at ? null : crm.answer;
      if (request.kind === at && !answered) return moment.resolve();
      if (request.kind === at) response.once("finish", () => moment.resolve());
      return answerJson(response, crm.create(request));
    };
    await channel.bot.write(channel.people[index] ?? "", "hello");
    await moment.promise;
    await service.end("SIGKILL");
    service = await stand.start();
  }

  const count = MOMENTS.length;
  await vi.waitUntil(async () => (await ids("deals")).length === count, { timeout: 30_000, interval: 50 });
  const asked = crm.asked();
  const names = ({ kind, webhookId }: (typeof asked)[number]) => `${kind} ${webhookId}`;
  expect(new Set(asked.map(names)).size).toBe(2 * count);
  expect((await ids("contacts")).length).toBe(count);
  const created = new Set<string>();
  for (const request of asked) {
    for (const contact of request.body.contacts ?? []) expect(created).toContain(contact);
    created.add((crm.create(request) as { id: string }).id);
  }
  const turns = asked.filter(({ kind }) => kind === "createContact");
  const first = new Map(turns.map(({ webhookId, body }) => [webhookId, body.responsibleUserId]));
  expect([...first.values()]).toEqual(["ann", "bob", "ann", "bob"]);
  const open = await stand.db.query("select id from client_creations");
  expect(open).toEqual([]);
});

test("the first employee whose reply reaches the messenger gets the client", async () => {
  stand = await startStand();
  crm = await startCrm();
  await stand.start();
  const channel = await stand.addChannel(1, { account: stand.account, receiver: crm.receiver });
  await crm.receiver.until(() => crm.receiver.taken().length >= 1);
  await assign("first_respondent");
  const reply = (author: object) =>
    must(
      stand.call("POST", "/v2/messages", {
        ...messageBody(channel, channel.people[0] ?? "", "hi"),
        ...author,
      }),
    );
  await reply({});
  await reply({ crm_user_id: "bob" });
  await reply({ crm_user_id: "ann" });
  await vi.waitUntil(async () => (await ids("deals")).length === 1, { interval: 20 });
  await crm.receiver.until(() => crm.receiver.taken().filter(({ status }) => status === "sent").length === 3);
  expect(crm.asked().map(({ kind, body }) => [kind, body.responsibleUserId])).toEqual([
    ["createContact", "bob"],
    ["createDeal", "bob"],
  ]);
});

async function assign(rule: "in_turn" | "first_respondent"): Promise<void> {
  const { accountId } = stand.account;
  const users = ["ann", "bob"].map((id) => ({ id, name: id }));
  await must(stand.call("POST", "/v3/users", users));
  const stages = [{ id: "s", name: "New" }];
  await must(stand.call("POST", "/v3/pipelines", [{ id: "p", name: "Sales", stages }]));
  await must(stand.call("PATCH", "/v3/webhooks", { subscriptions: { contactsAndDealsCreation: true } }));
  await stand.db.query("update crm_users set gets_new_clients = true where account_id = $1", [accountId]);
  await stand.db.query("insert into crm_settings (account_id, new_clients) values ($1, $2)", [
    accountId,
    rule,
  ]);
}

async function ids(kind: "contacts" | "deals"): Promise<string[]> {
  const { json } = await must(stand.call("GET", `/v3/${kind}`));
  return (json as { data: { id: string }[] }).data.map(({ id }) => id);
}
