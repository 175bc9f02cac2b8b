import { type Queryable, sql, type Transaction } from "../../database/database.ts";
import type { Published } from "../event/log.ts";
import type { LogReaders } from "../event/log-readers.ts";
import { publish, publishAndCommit } from "../event/publish.ts";
import { eventsOf } from "../payload/events-of.ts";
import type { CreationFact, Fact } from "../payload/facts.ts";

const WITHDRAW = sql(
  "crm_creation_withdraw",
  "delete from client_creations where account_id = $1 and id = $2",
);

/** Ends a reservation without a request: the next occasion may cause one. */
export async function withdrawCreation(
  tx: Queryable,
  { accountId, creationId }: Pick<CreationFact, "accountId" | "creationId">,
): Promise<void> {
  await tx.query(WITHDRAW, [accountId, creationId]);
}

type RequestFact = Extract<Fact, { kind: "creation" }>;

/** Like `publish`, for facts that may contain requests to the CRM: those that no receiver takes are withdrawn. */
export async function publishRequests(tx: Queryable, facts: readonly Fact[]): Promise<readonly Published[]> {
  const published = await publish(tx, facts);
  // The last subscription to such requests has ended since it was decided: nobody will answer.
  for (const request of facts.filter(isRequest))
    if (!isTaken(request, published)) await withdrawCreation(tx, request.creation);
  return published;
}

/** The same for `publishAndCommit`. */
export function publishRequestsAndCommit(
  tx: Transaction,
  facts: readonly Fact[],
  readers?: LogReaders,
): Promise<readonly Published[]> {
  return facts.some(isRequest) ? publishRequests(tx, facts) : publishAndCommit(tx, facts, readers);
}

function isRequest(fact: Fact): fact is RequestFact {
  return fact.kind === "creation";
}

function isTaken(request: RequestFact, published: readonly Published[]): boolean {
  const { accountId } = request.creation;
  return eventsOf(request).every(({ kind }) =>
    published.some((each) => each.kind === kind && each.accountId === accountId),
  );
}
