/**
 * Common table expressions that lock the lanes `l` that satisfy a condition, in "locked". Whoever publishes locks lanes in
 * the order of their ids, and so does everybody who takes several: else two wait for each other.
 */
export const lockedLanes = (condition: string): string => `
  found as materialized (select l.id from webhook_lanes l where ${condition}),
  locked as materialized (
    select s.id from (select id from found order by id) f
    cross join lateral (
      select l.id from webhook_lanes l where l.id = any(array[f.id]) and ${condition} for no key update) s)`;

/** Condition for the lanes `l` in "locked". Not a join: that might be planned as a look at every lane. */
export const IS_LOCKED = "l.id = any(array(select id from locked))";
