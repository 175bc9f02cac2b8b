import { ACCOUNT_RETENTION } from "../../core/account/retention.ts";
import { AUDIT_RETENTION } from "../../core/audit/retention.ts";
import { CHANNEL_RETENTION } from "../../core/channel/retention.ts";
import { CHAT_ORDER_RETENTION, CHAT_RETENTION } from "../../core/chat/retention.ts";
import { CRM_RETENTION } from "../../core/crm/retention.ts";
import { INBOUND_RETENTION } from "../../core/dead-letter/retention.ts";
import { dropOldestDay } from "../../core/delivery/cursor/ended-days.ts";
import { WEBHOOK_RETENTION } from "../../core/delivery/retention.ts";
import { LOGS } from "../../core/event/log-days.ts";
import { GROUP_RETENTION } from "../../core/group/creations.ts";
import { ENTRY_RETENTION, INBOX_RETENTION } from "../../core/inbox/retention.ts";
import { deleteOldMessages, MESSAGE_RETENTION } from "../../core/message/retention.ts";
import { NODE_RETENTION } from "../../core/node/nodes.ts";
import { OAUTH_RETENTION } from "../../core/oauth/retention.ts";
import { OPERATOR_RETENTION } from "../../core/operator/retention.ts";
import { PACING_RETENTION } from "../../core/pacing/retention.ts";
import { PAGE_TICKET_RETENTION } from "../../core/page-ticket/retention.ts";
import { PHONE_RETENTION } from "../../core/phone/retention.ts";
import type { Removals } from "../../core/retention.ts";
import { STATISTIC_RETENTION } from "../../core/statistics/retention.ts";
import type { Database, Queryable, Statement } from "../../database/database.ts";
import { type UpkeepStep, withStatementLimit } from "./upkeep.ts";

/** A statement that removed this many rows may have stopped at its limit. */
const MANY = 1_000;

/** What is deleted after a time that its domain defines. */
const BY_OWN_AGE: readonly Removals[] = [
  MESSAGE_RETENTION,
  ACCOUNT_RETENTION,
  CHANNEL_RETENTION,
  GROUP_RETENTION,
  PACING_RETENTION,
  PHONE_RETENTION,
  CHAT_RETENTION,
  INBOUND_RETENTION,
  CRM_RETENTION,
  INBOX_RETENTION,
  OAUTH_RETENTION,
  OPERATOR_RETENTION,
  PAGE_TICKET_RETENTION,
  NODE_RETENTION,
  STATISTIC_RETENTION,
];

export interface Retention {
  readonly eventRetentionDays: number;
  readonly auditRetentionDays: number;
  /** 0: forever, the default. */
  readonly messageRetentionDays?: number;
}

/** All steps that delete rows because of their age alone. */
export function retentionSteps(
  db: Database,
  { eventRetentionDays, auditRetentionDays, messageRetentionDays = 0 }: Retention,
): UpkeepStep[] {
  const stepsOf = (statements: Removals, values: readonly unknown[]): UpkeepStep[] =>
    Object.entries(statements).map(([table, statement]) =>
      limited(db, table, (tx) => rowsOf(tx, statement, values)),
    );
  const ofMessages = (days: number): UpkeepStep[] => [
    limited(db, "messages", (tx) => deleteOldMessages(tx, days)),
    ...stepsOf(CHAT_ORDER_RETENTION, [days]),
    ...stepsOf(ENTRY_RETENTION, [days]),
  ];
  return [
    ...BY_OWN_AGE.flatMap((statements) => stepsOf(statements, [])),
    ...stepsOf(WEBHOOK_RETENTION, [eventRetentionDays]),
    ...stepsOf(AUDIT_RETENTION, [auditRetentionDays]),
    ...(messageRetentionDays === 0 ? [] : ofMessages(messageRetentionDays)),
    ...LOGS.map((log) => ({
      name: `forget ${log}`,
      run: async () => ({ rows: 0, hasMore: await dropOldestDay(db, log, eventRetentionDays) }),
    })),
  ];
}

/** A step that deletes one batch of a table's rows; `work` returns how many it deleted. */
function limited(db: Database, table: string, work: (tx: Queryable) => Promise<number>): UpkeepStep {
  return {
    name: `forget ${table}`,
    run: () =>
      withStatementLimit(db, async (tx) => {
        const rows = await work(tx);
        return { rows, hasMore: rows >= MANY };
      }),
  };
}

async function rowsOf(tx: Queryable, statement: Statement, values: readonly unknown[]): Promise<number> {
  const [gone] = await tx.query<{ rows: number }>(statement, values);
  return gone?.rows ?? 0;
}
