import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendApproved } from "../../../src/core/inbox/proposals.ts";
import { startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import { write } from "../kit/inbound.ts";
import { type OpenInbox, openInbox } from "../kit/inbox.ts";
import {
  addAccount,
  addChannel,
  addToken,
  startNode,
  type TestAccount,
  type TestNode,
} from "../kit/service.ts";

let database: TestDatabase;
let first: TestNode;
let second: TestNode;
let account: TestAccount;
let channel: string;
let agent: string;
let alice: OpenInbox;
let bob: OpenInbox;

beforeAll(async () => {
  database = await startTestDatabase();
  first = await startNode({ database });
  second = await startNode({ database });
  account = await addAccount(first.db);
  channel = await addChannel(first, account, { transport: "whatsapp" });
  agent = await addToken(first.db, account.id, "agent");
  alice = await openInbox(first, account.api);
  bob = await openInbox(second, account.api, { user: { id: "agent-2", name: "Bob" } });
});
afterAll(async () => {
  await first?.stop();
  await second?.stop();
  await database?.stop();
});

let people = 79_990_000_100;

/** A chat in which a customer has written. */
async function newChat(): Promise<string> {
  const chatId = String(people++);
  await write(first, { account, channelId: channel }, [[chatId, "Where is my order?"]]);
  return chatId;
}

interface Proposal {
  readonly proposal_id: string;
  readonly status: string;
  readonly text: string;
  readonly message_id: string | null;
  readonly decided_by: { readonly id: string } | null;
  readonly error: string | null;
}
interface Decision {
  readonly decided: boolean;
  readonly entry: { readonly id: string; readonly text: string; readonly proposal: Record<string, unknown> };
}

function ask(chatId: string, more: object = {}, token = agent): Promise<Answer> {
  const body = {
    channel_id: channel,
    chat_type: "whatsapp",
    chat_id: chatId,
    text: "It is on its way",
    ...more,
  };
  return call(first, "POST", "/v2/messages/proposals", { token, body });
}
async function propose(chatId: string, more: object = {}): Promise<Proposal> {
  const answer = await ask(chatId, more);
  expect(outcome(answer)).toBe("200");
  return (answer.json as { data: Proposal }).data;
}
async function outcomeOf({ proposal_id: id }: Proposal): Promise<Proposal> {
  const { json } = await call(first, "GET", `/v2/messages/proposals/${id}`, { token: agent });
  return (json as { data: Proposal }).data;
}
const approve = (page: OpenInbox, { proposal_id: id }: Proposal, body: object = {}) =>
  page.send("POST", `proposals/${id}/approve`, body);
const decline = (page: OpenInbox, { proposal_id: id }: Proposal) =>
  page.send("POST", `proposals/${id}/decline`);
const decisionOf = ({ json }: { json: unknown }) => json as Decision;

/** Texts of the account's messages to the chat, in any state. */
async function sentTo(chatId: string): Promise<string[]> {
  const rows = await first.db.query<{ text: string }>(
    `select m.text from messages m join chats c on c.account_id = m.account_id and c.id = m.chat
     where m.account_id = $1 and c.chat_id = $2 and m.direction = 'out' order by m.created_at`,
    [account.id, chatId],
  );
  return rows.map(({ text }) => text);
}

test("an agent's token reads and proposes, and nothing else", async () => {
  const chatId = await newChat();
  const to = { channel_id: channel, recipient: { chat_type: "whatsapp", chat_id: chatId } };
  const refused = [
    call(first, "POST", "/v2/messages", { token: agent, body: { ...to, text: "Hello" } }),
    call(first, "POST", `/v2/chats/whatsapp/${chatId}/read`, { token: agent, body: {} }),
    call(first, "GET", `/v2/channels/${channel}`, { token: agent }),
    call(first, "GET", "/v2/webhooks", { token: agent }),
    call(first, "DELETE", "/v2/messages/00000000-0000-4000-8000-000000000000", { token: agent }),
  ];
  for (const answer of await Promise.all(refused)) expect(outcome(answer)).toBe("403 APPROVAL_REQUIRED");
  expect(outcome(await call(first, "GET", "/v3/webhooks", { token: agent }))).toBe("401 INVALID_APIKEY");
  for (const path of ["/v2/channels", "/v2/chats", `/v2/chats/whatsapp/${chatId}/messages`])
    expect(outcome(await call(first, "GET", path, { token: agent }))).toBe("200");
  expect(await sentTo(chatId)).toEqual([]);
});

test("what cannot be sent is not proposed either", async () => {
  const chatId = await newChat();
  expect(outcome(await ask("79990009999"))).toBe("404 CHAT_NOT_FOUND");
  expect(outcome(await ask(chatId, { text: " " }))).toBe("400 MESSAGE_NOTHING_TO_SEND");
  const template = { id: channel };
  expect(outcome(await ask(chatId, { template }))).toBe("400 MESSAGE_ONLY_TEXT_OR_CONTENT");
  expect(outcome(await ask(chatId, { text: undefined, template }))).toBe(
    "400 MESSAGE_TEMPLATE_NOT_SUPPORTED",
  );
  expect(outcome(await ask(chatId, { expires_in: 1 }))).toMatch(/^400/);
  const other = await addAccount(first.db);
  expect(outcome(await ask(chatId, {}, await addToken(first.db, other.id, "agent")))).toBe(
    "404 CHANNEL_NOT_FOUND",
  );
  for (let count = 0; count < 20; count++) await propose(chatId);
  expect(outcome(await ask(chatId))).toBe("400 QUOTA_EXCEEDED");
});

describe("a proposal", () => {
  test("stands in the chat of every page until an employee approves it with a changed text", async () => {
    const chatId = await newChat();
    const proposal = await propose(chatId);
    expect(proposal).toMatchObject({ status: "waiting", message_id: null, decided_by: null });
    const { json: list } = await bob.get(`chats?search=${chatId}`);
    const [chat] = (list as { chats: { id: string }[] }).chats;
    const { json: thread } = await bob.get(`chats/${chat?.id}/messages`);
    expect((thread as { entries: unknown[] }).entries).toMatchObject([
      {
        id: proposal.proposal_id,
        kind: "proposed",
        text: "It is on its way",
        proposal: { state: "waiting", token: { hint: "test" }, message_id: null },
      },
    ]);
    expect(await sentTo(chatId)).toEqual([]);
    // It counts as unread beside the customer's message, for each employee until they see it.
    const row = async (page: OpenInbox) => {
      const { json } = await page.get(`chats?search=${chatId}`);
      return (json as { chats: { unread: number; proposed_until: string | null }[] }).chats[0];
    };
    const waits = { proposed_until: expect.stringMatching(/Z$/) };
    expect(await row(bob)).toMatchObject({ unread: 2, ...waits });
    await bob.send("POST", `chats/${chat?.id}/read`);
    expect([await row(bob), await row(alice)]).toMatchObject([
      { unread: 0, ...waits },
      { unread: 2, ...waits },
    ]);

    const { decided, entry } = decisionOf(await approve(bob, proposal, { text: "It is on its way, Ann" }));
    expect(decided).toBe(true);
    expect(entry).toMatchObject({
      text: "It is on its way, Ann",
      proposal: {
        state: "sent",
        decided_by: { id: "agent-2", name: "Bob" },
        proposed_text: "It is on its way",
      },
    });
    // Repeated, as after a lost response.
    expect(decisionOf(await approve(bob, proposal, { text: "It is on its way, Ann" }))).toEqual({
      decided,
      entry,
    });
    expect(await sentTo(chatId)).toEqual(["It is on its way, Ann"]);
    expect(await row(alice)).toMatchObject({ unread: 0, proposed_until: null });
    const known = await outcomeOf(proposal);
    expect(known).toMatchObject({ status: "sent", decided_by: { id: "agent-2" } });
    const [message] = await first.db.query("select author_id, author_name from messages where id = $1", [
      known.message_id,
    ]);
    expect(message).toEqual({ author_id: "agent-2", author_name: "Bob" });
    const { json: audit } = await call(first, "GET", "/v3/audit", { token: account.api });
    expect(JSON.stringify(audit)).toContain('"proposal.approve"');
    expect(JSON.stringify(audit)).toContain('"proposal.create"');
  });

  test("that is declined or has expired is not sent", async () => {
    const chatId = await newChat();
    const [declined, expired] = [await propose(chatId), await propose(chatId)];
    expect(decisionOf(await decline(alice, declined)).decided).toBe(true);
    expect(decisionOf(await approve(bob, declined))).toMatchObject({
      decided: false,
      entry: { proposal: { state: "declined" } },
    });
    await first.db.query(
      `update chat_entries set details = jsonb_set(details, '{proposal,expires_at}', to_jsonb(now() - interval '1 second'))
       where account_id = $1 and id = $2`,
      [account.id, expired.proposal_id],
    );
    const { json: list } = await alice.get(`chats?search=${chatId}`);
    expect((list as { chats: unknown[] }).chats).toMatchObject([{ unread: 1, proposed_until: null }]);
    for (const decide of [approve(alice, expired), decline(bob, expired)])
      expect(decisionOf(await decide)).toMatchObject({
        decided: false,
        entry: { proposal: { state: "expired" } },
      });
    expect(await sentTo(chatId)).toEqual([]);
    expect([await outcomeOf(declined), await outcomeOf(expired)]).toMatchObject([
      { status: "declined" },
      { status: "expired" },
    ]);
  });

  test("is decided once, by whoever is first on any node", async () => {
    const chatId = await newChat();
    const proposals = await Promise.all(Array.from({ length: 10 }, () => propose(chatId)));
    const decided = await Promise.all(
      proposals.map(async (each) => {
        const both = await Promise.all([approve(alice, each), decline(bob, each), approve(bob, each)]);
        return both.map((answer) => decisionOf(answer).decided);
      }),
    );
    expect(decided.map((each) => each.filter(Boolean).length)).toEqual(proposals.map(() => 1));
    const approved = decided.filter(([byAlice, , byBob]) => byAlice || byBob).length;
    expect(await sentTo(chatId)).toHaveLength(approved);
  });

  test("whose sending was interrupted after the approval is sent once", async () => {
    const chatId = await newChat();
    const proposal = await propose(chatId);
    const { accept } = first.core;
    const broken = { ...accept, add: () => Promise.reject(new Error("the connection broke")) };
    Object.assign(first.core, { accept: broken });
    const answer = await approve(alice, proposal);
    Object.assign(first.core, { accept });
    expect(answer.status).toBe(500);
    expect(await outcomeOf(proposal)).toMatchObject({ status: "approved", decided_by: { id: "agent-1" } });
    expect(decisionOf(await decline(bob, proposal)).decided).toBe(false);
    // Who has approved is given time to send it.
    expect(await sendApproved(first.core, 10)).toBe(0);
    await first.db.query(
      `update chat_entries set details = jsonb_set(details, '{proposal,decided_at}', to_jsonb(now() - interval '1 minute'))
       where account_id = $1 and id = $2`,
      [account.id, proposal.proposal_id],
    );
    await Promise.all([
      sendApproved(first.core, 10),
      sendApproved(second.core, 10),
      sendApproved(first.core, 10),
    ]);
    expect(await sentTo(chatId)).toEqual(["It is on its way"]);
    expect(await outcomeOf(proposal)).toMatchObject({ status: "sent" });
  });

  test("that cannot be sent now does not hold up those of others", async () => {
    const [stuck, other] = [await newChat(), await newChat()];
    const { accept } = first.core;
    const failing = (reason: string) => ({ ...accept, add: () => Promise.reject(new Error(reason)) });
    for (const chatId of [stuck, other]) {
      const proposal = await propose(chatId, { text: `for ${chatId}` });
      Object.assign(first.core, { accept: failing("the connection broke") });
      expect((await approve(alice, proposal)).status).toBe(500);
      Object.assign(first.core, { accept });
    }
    await first.db.query(
      `update chat_entries set details = jsonb_set(details, '{proposal,decided_at}', to_jsonb(now() - interval '1 minute'))
       where account_id = $1 and kind = 'proposed' and details #>> '{proposal,state}' = 'approved'`,
      [account.id],
    );
    const add: typeof accept.add = (message) =>
      JSON.stringify(message).includes(`for ${stuck}`)
        ? Promise.reject(new Error("its account is moving"))
        : accept.add(message);
    Object.assign(first.core, { accept: { ...accept, add } });
    await expect(sendApproved(first.core, 10)).rejects.toThrow("its account is moving");
    Object.assign(first.core, { accept });
    expect([await sentTo(stuck), await sentTo(other)]).toEqual([[], [`for ${other}`]]);
    expect(await sendApproved(first.core, 10)).toBe(1);
    expect(await sentTo(stuck)).toEqual([`for ${stuck}`]);
  });

  test("is out of reach of a page without its chat", async () => {
    const chatId = await newChat();
    const proposal = await propose(chatId);
    const other = await openInbox(first, account.api, {
      scope: "card",
      filter: [{ chatType: "whatsapp", chatId: "79990000000" }],
    });
    expect(outcome(await approve(other, proposal))).toBe("404 MESSAGES_NOT_FOUND");
    expect(outcome(await decline(other, proposal))).toBe("404 MESSAGES_NOT_FOUND");
    const stranger = await addAccount(first.db);
    const foreign = await addToken(first.db, stranger.id, "agent");
    const path = `/v2/messages/proposals/${proposal.proposal_id}`;
    expect(outcome(await call(first, "GET", path, { token: foreign }))).toBe("404 PROPOSAL_NOT_FOUND");
  });
});
