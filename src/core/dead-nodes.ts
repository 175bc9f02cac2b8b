const NIL = "00000000-0000-0000-0000-000000000000";

/** Subquery: the ids of the nodes whose lease is valid. */
export const LIVE_NODES = "select n.id from nodes n where n.lease_until > now()";

/**
 * Expression: whether a node without a valid lease is in this column of the table, among the rows of the condition on
 * `t`. With an index that begins with the column and has the same condition, it costs a lookup for each node, however
 * many rows each of them has.
 */
export const isLeftByDeadNode = (table: string, column: string, condition = "true"): string => `(
  with recursive holders as (
    (select t.${column} as id from ${table} t where t.${column} >= '${NIL}' and ${condition} order by t.${column} limit 1)
    union all
    select n.id from holders h cross join lateral (
      select t.${column} as id from ${table} t where t.${column} > h.id and ${condition} order by t.${column} limit 1) n
  ) select true from holders h where h.id not in (${LIVE_NODES}) limit 1)`;
