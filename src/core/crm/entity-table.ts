import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import { withinCrmQuota } from "../quota/crm.ts";
import type { Scope } from "../scope.ts";
import { missingOf, PAGE_SIZE, type Page } from "./entity.ts";

interface Identified {
  readonly id: string;
}

export interface EntityTableOptions<Row extends Identified, Entity extends Identified> {
  /** Name of the table; its key is (account_id, id). */
  readonly table: string;
  /** The columns of a row; the table's alias is `t`. */
  readonly columns: string;
  /** The columns that every row has, with empty values. */
  readonly blank: { readonly columns: string; readonly values: string };
  readonly notFound: ErrorCode;
  entityOf(row: Row): Entity;
  /** How many rows an entity takes. */
  rowsOf(entity: Partial<Entity>): number;
  /** Replaces the stored entities. */
  store(tx: Queryable, scope: Scope, entities: readonly Entity[]): Promise<void>;
}

/** The operations shared by contacts and deals. Every statement is limited to the account. */
export interface EntityTable<Entity extends Identified> {
  /** A page ordered by id, starting at `offset`. */
  list(core: Base, scope: Scope, offset: number): Promise<Page<Entity>>;
  /** Throws the table's error for an unknown id or another account's entity. */
  get(core: Base, scope: Scope, id: string): Promise<Entity>;
  /** Those of the ids that exist, in any order. */
  findEach(core: Pick<Base, "db">, scope: Scope, ids: readonly string[]): Promise<Entity[]>;
  /** Applies changes to existing entities, and returns the ids that do not exist. Throws QUOTA_EXCEEDED. */
  change(core: Base, scope: Scope, changes: readonly (Partial<Entity> & Identified)[]): Promise<string[]>;
  /**
   * Stores one entity in the caller's transaction, completed with its stored fields (null: it is new). Returns the
   * result.
   */
  complete(
    tx: Queryable,
    scope: Scope,
    id: string,
    complete: (stored: Entity | null) => Entity,
  ): Promise<Entity>;
  /** Deletes entities and returns the ids that did not exist. */
  remove(core: Base, scope: Scope, ids: readonly string[]): Promise<string[]>;
}

export function entityTable<Row extends Identified, Entity extends Identified>(
  options: EntityTableOptions<Row, Entity>,
): EntityTable<Entity> {
  const { entityOf, store } = options;
  const { count, list, find, findEach, hold, lock, remove } = statementsOf(options);

  /** Read after locking, so that concurrent changes are included. */
  async function locked(tx: Queryable, { accountId }: Scope, ids: readonly string[]): Promise<Row[]> {
    await tx.query(lock, [accountId, ids]);
    return tx.query<Row>(findEach, [accountId, ids]);
  }

  return {
    async list(core, { accountId }, offset) {
      const [[total], rows] = await Promise.all([
        core.db.query<{ count: number }>(count, [accountId]),
        core.db.query<Row>(list, [accountId, offset]),
      ]);
      return { count: total?.count ?? 0, data: rows.map(entityOf) };
    },
    async get(core, { accountId }, id) {
      const [row] = await core.db.query<Row>(find, [accountId, id]);
      if (row === undefined) throw new AppError(options.notFound);
      return entityOf(row);
    },
    async findEach({ db }, { accountId }, ids) {
      return (await db.query<Row>(findEach, [accountId, ids])).map(entityOf);
    },
    change(core, scope, changes) {
      const rows = changes.reduce((sum, change) => sum + options.rowsOf(change), 0);
      const changeById = new Map(changes.map((change) => [change.id, change]));
      const ids = [...changeById.keys()];
      return core.db.bulk({ owner: scope.accountId, rows }, async (tx) => {
        const found = await locked(tx, scope, ids);
        const changed = found.map((row) => ({ ...entityOf(row), ...changeById.get(row.id) }));
        await withinCrmQuota(core, { tx, scope }, () => store(tx, scope, changed));
        return missingOf(ids, found);
      });
    },
    async complete(tx, scope, id, complete) {
      // A row that does not exist yet cannot be locked: this waits for a transaction that is adding it.
      const isNew = (await tx.query(hold, [scope.accountId, id])).length > 0;
      const [row] = await locked(tx, scope, [id]);
      const entity = complete(isNew || row === undefined ? null : entityOf(row));
      await store(tx, scope, [entity]);
      return entity;
    },
    async remove(core, { accountId }, ids) {
      const removed = await core.db.tx((tx) => tx.query<Identified>(remove, [accountId, ids]));
      return missingOf(ids, removed);
    },
  };
}

function statementsOf({
  table,
  columns,
  blank,
}: Pick<EntityTableOptions<never, never>, "table" | "columns" | "blank">) {
  const read = `select ${columns} from ${table} t where t.account_id = $1`;
  return {
    count: sql(`${table}_count`, `select count(*) as count from ${table} where account_id = $1`),
    list: sql(`${table}_list`, `${read} order by t.id offset $2 limit ${PAGE_SIZE}`),
    find: sql(`${table}_find`, `${read} and t.id = $2`),
    findEach: sql(`${table}_find_each`, `${read} and t.id = any($2)`),
    hold: sql(
      `${table}_hold`,
      `insert into ${table} (account_id, id, ${blank.columns}) values ($1, $2, ${blank.values})
       on conflict (account_id, id) do nothing returning id`,
    ),
    lock: sql(
      `${table}_lock`,
      `select id from ${table} where account_id = $1 and id = any($2) order by id for update`,
    ),
    remove: sql(
      `${table}_remove`,
      `delete from ${table} where account_id = $1 and id = any($2) returning id`,
    ),
  };
}
