import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type DueWork, findDueWork } from "../../../src/core/node/due-work.ts";
import type { Queryable } from "../../../src/database/database.ts";
import { newId } from "../../../src/platform/ids.ts";
import { addAccount, startNode, type TestNode } from "../kit/service.ts";

let node: TestNode;
let accountId: number;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());
beforeEach(async () => {
  accountId = (await addAccount(node.db)).id;
});

const NODE = newId();
const DEAD_NODE = newId();
const NOTHING: DueWork = {
  channels: true,
  unownedChannels: false,
  sessionNodes: 0,
  sends: false,
  webhooks: false,
  allWebhooks: false,
  dueRetries: false,
  turn: null,
  claimedCursors: 0,
  files: false,
  latestDueFile: null,
  deadLetters: false,
  replays: false,
  exports: false,
  sessionRequests: false,
  phones: false,
  search: false,
  snoozes: false,
  proposals: false,
  leftCursors: false,
  newTimeline: false,
  leader: null,
};

/** What is due after these statements, which are rolled back. `$1`: the account, `$2`: the node that asks, `$3`: a dead one. */
async function dueAfter(statements: string): Promise<DueWork> {
  const rollback = new Error("rolled back");
  const found: DueWork[] = [];
  const work = async (tx: Queryable): Promise<void> => {
    await tx.query(
      "insert into nodes (id, name, roles, lease_until) values ($1, 'asks', '{}', now() + interval '1 hour')",
      [NODE],
    );
    const values = { $1: String(accountId), $2: `'${NODE}'`, $3: `'${DEAD_NODE}'` };
    await tx.query(statements.replaceAll(/\$[123]/g, (name) => values[name as keyof typeof values]));
    found.push(await findDueWork(tx, NODE));
    throw rollback;
  };
  await expect(node.db.tx(work)).rejects.toBe(rollback);
  return found[0] ?? NOTHING;
}

const ENDPOINT = `insert into webhook_endpoints (account_id, id, version, url, kinds, secret)
  values ($1, gen_random_uuid(), 'v3', 'https://a.example', '{messages}', '')`;
const CURSOR = "insert into webhook_cursors (id, account_id, endpoint_id, position, due, claim)";
const KEPT = `insert into webhook_retries (cursor_id, endpoint_id, state, event_id, account_id, kind, subject, body, created_at)
  select id, endpoint_id, 'kept', 1, account_id, 'messages', 'm', '{}', now() from webhook_cursors where account_id = $1`;
const cursor = (due: string, claim: string): string =>
  `${ENDPOINT}; ${CURSOR} select gen_random_uuid(), $1, id, 0, ${due}, ${claim} from webhook_endpoints where account_id = $1; ${KEPT}`;
/** The cursor of a receiver's refused events is due with the first of them. */
const retries = (due: string): string =>
  `${cursor(due, "null")}; update webhook_cursors set lane = 'retries' where account_id = $1;
   update webhook_retries set state = 'refused', due = ${due} where account_id = $1`;
const file = (state: string, due: string): string =>
  `insert into files (account_id, id, channel_id, key, state, source, due)
   values ($1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '${state}', '{}', '${due}')`;
const hasRole = (role: string): string => `update nodes set roles = array['${role}'] where id = $2`;
const DELIVERS = hasRole("delivery");
const channel = (owner: string, status = "active"): string =>
  `insert into channels (account_id, id, transport, status, credentials, owner)
   values ($1, gen_random_uuid(), 'telegram', '${status}', '', ${owner})`;
const letter = (requested: string): string =>
  `insert into inbound_dead_letters (account_id, channel_id, digest, stage, payload, reason, replay_requested_at)
   values ($1, gen_random_uuid(), '', 'event', '{}', '', ${requested})`;

test.each<{ name: string; statements: string; due: Partial<DueWork> }>([
  { name: "nothing", statements: "select 1", due: {} },
  {
    name: "a waiting message",
    statements: `insert into send_jobs (account_id, channel_id, chat, message_id, kind)
      values ($1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'send')`,
    due: { sends: true },
  },
  { name: "a receiver with an event", statements: cursor("now()", "null"), due: {} },
  {
    name: "a receiver with an event, in the node's turn",
    statements: `${DELIVERS}; ${cursor("now()", "null")}`,
    due: { allWebhooks: true, turn: expect.any(Number) },
  },
  {
    name: "a receiver that rests, in the node's turn",
    statements: `${DELIVERS}; ${cursor("now() + interval '1 minute'", "null")}`,
    due: { turn: expect.any(Number) },
  },
  {
    name: "a receiver that failed",
    statements: `${cursor("now()", "null")}; update webhook_cursors set attempts = 1 where account_id = $1`,
    due: { webhooks: true, dueRetries: true },
  },
  {
    name: "a receiver that failed and is paused",
    statements: `${cursor("now()", "null")}; update webhook_cursors set attempts = 1 where account_id = $1;
      update webhook_endpoints set paused_at = now() where account_id = $1`,
    due: {},
  },
  {
    name: "a receiver with a refused event that is due",
    statements: retries("now()"),
    due: { webhooks: true, dueRetries: true },
  },
  {
    name: "a receiver with a refused event that rests",
    statements: retries("now() + interval '1 minute'"),
    due: {},
  },
  {
    name: "a receiver with refused events that this node retries",
    statements: `${retries("now()")}; update webhook_cursors set claim = $2 where account_id = $1`,
    due: { webhooks: true, claimedCursors: 1 },
  },
  { name: "a node for channels", statements: `${hasRole("sessions")}`, due: { sessionNodes: 1 } },
  { name: "a channel without an owner", statements: channel("null"), due: { unownedChannels: true } },
  { name: "a channel of this node", statements: channel("$2"), due: {} },
  {
    name: "channels of live nodes and of a dead one",
    statements: `${channel("$2")}; ${channel("$3")}; ${channel("$2")}`,
    due: { unownedChannels: true },
  },
  { name: "a disabled channel of a dead node", statements: channel("$3", "disabled"), due: {} },
  { name: "a disabled channel without an owner", statements: channel("null", "disabled"), due: {} },
  {
    name: "a deleted channel that has left",
    statements: `${channel("$3")}; update channels set deleted_at = now() where account_id = $1`,
    due: {},
  },
  {
    name: "a deleted channel that has to leave",
    statements: `${channel("$3")}; update channels set deleted_at = now(), leaving_until = now() + interval '1 day' where account_id = $1`,
    due: { unownedChannels: true },
  },
  { name: "a receiver that rests", statements: cursor("now() + interval '1 minute'", "null"), due: {} },
  {
    name: "a receiver of this node",
    statements: cursor("now()", "$2"),
    due: { webhooks: true, claimedCursors: 1 },
  },
  {
    name: "an approved proposal",
    statements: `insert into chat_entries (account_id, id, chat, channel_id, kind, author_id, details)
      values ($1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'proposed', '', '{"proposal":{"state":"approved"}}')`,
    due: { proposals: true },
  },
  { name: "a receiver of a dead node", statements: cursor("now()", "$3"), due: { leftCursors: true } },
  {
    name: "a receiver that is paused",
    statements: `${cursor("now()", "null")}; update webhook_endpoints set paused_at = now() where account_id = $1`,
    due: {},
  },
  {
    name: "files that wait",
    statements: `${file("waiting", "2001-01-01Z")}; ${file("waiting", "2001-01-02Z")}`,
    due: { files: true, latestDueFile: Date.parse("2001-01-02") / 1_000 },
  },
  { name: "a file that rests after a failure", statements: file("waiting", "tomorrow"), due: {} },
  { name: "a file that is being uploaded", statements: file("waiting", "infinity"), due: {} },
  { name: "a stored file", statements: file("stored", "2001-01-01Z"), due: {} },
  { name: "a dead letter", statements: letter("null"), due: {} },
  { name: "a dead letter to replay", statements: letter("now()"), due: { deadLetters: true } },
  {
    name: "a replay",
    statements: "insert into webhook_replays (account_id, id) values ($1, gen_random_uuid())",
    due: { replays: true },
  },
  {
    name: "a finished replay",
    statements:
      "insert into webhook_replays (account_id, id, finished_at) values ($1, gen_random_uuid(), now())",
    due: {},
  },
  {
    name: "an export",
    statements:
      "insert into message_exports (account_id, id, start_at, end_at) values ($1, gen_random_uuid(), now(), now())",
    due: { exports: true },
  },
  {
    name: "a login step",
    statements:
      "insert into session_requests (account_id, id, channel_id, request) values ($1, gen_random_uuid(), gen_random_uuid(), '')",
    due: { sessionRequests: true },
  },
  {
    name: "an answered login step",
    statements: `insert into session_requests (account_id, id, channel_id, request, answer)
      values ($1, gen_random_uuid(), gen_random_uuid(), '', '')`,
    due: {},
  },
  {
    name: "a message for the search index",
    statements: "insert into search_queue (account_id, message_id) values ($1, gen_random_uuid())",
    due: { search: true },
  },
  {
    name: "another timeline",
    statements: "update database_timeline set timeline = 'another'",
    due: { newTimeline: true },
  },
  { name: "a leader", statements: "update upkeep_leader set node_id = $2", due: { leader: NODE } },
  { name: "a leader that is dead", statements: "update upkeep_leader set node_id = $3", due: {} },
  {
    name: "a leader whose lease is over",
    statements:
      "update upkeep_leader set node_id = $2; update nodes set lease_until = now() - interval '1 ms' where id = $2",
    due: {},
  },
])("$name", async ({ statements, due }) => {
  expect(await dueAfter(statements)).toEqual({ ...NOTHING, ...due });
});

test("of the nodes that deliver, one looks at all receivers, once in its turn", async () => {
  const nodes = [newId(), newId(), newId()];
  const found = await node.db.tx(async (tx) => {
    for (const id of nodes)
      await tx.query(
        "insert into nodes (id, name, roles, lease_until) values ($1, 'delivers', '{delivery}', now() + interval '1 hour')",
        [id],
      );
    const first: DueWork[] = [];
    for (const id of nodes) first.push(await findDueWork(tx, id));
    const turns = first.flatMap(({ turn }) => turn ?? []);
    const again: DueWork[] = [];
    for (const id of nodes) again.push(await findDueWork(tx, id, turns[0]));
    await tx.query("delete from nodes where id = any($1)", [nodes]);
    return { turns, again: again.map(({ turn }) => turn) };
  });
  expect(found).toEqual({ turns: [expect.any(Number)], again: [null, null, null] });
});
