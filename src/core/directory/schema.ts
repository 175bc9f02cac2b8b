import type { Database, Queryable } from "../../database/database.ts";
import { DIRECTORY_LOCK } from "../../database/locks.ts";

/**
 * The schema of the directory, step by step. A step may only add: cells of the release before work with it too. Never
 * change a step that was released.
 */
const STEPS: readonly string[] = [
  `
  create table directory_state (
    is_only boolean primary key default true check (is_only),
    version integer not null,
    -- Grows with each change of partners and applications, in the order of the commits.
    partners_version bigint not null default 0
  );
  insert into directory_state (version) values (0);

  create table cells (
    name text primary key,
    -- The database that uses the name.
    database_id text,
    -- Where nodes of other cells reach those of this one.
    address text,
    seen_at timestamptz not null default now()
  );

  -- The cell of each account. moves grows with each move: of two cells that have the account, the one with more has it.
  create table accounts (
    id bigint primary key,
    cell text not null references cells,
    moves integer not null,
    since timestamptz not null default now()
  );
  create index accounts_cell on accounts (cell, id);

  -- The channel that each messenger account is linked to; its cell is that of the account. A claim has a new id each time,
  -- so that a late release of an earlier one has no effect.
  create table links (
    transport text not null,
    messenger_id text not null,
    account_id bigint not null references accounts,
    channel_id uuid not null,
    claim uuid not null unique,
    claimed_at timestamptz not null default now(),
    primary key (transport, messenger_id)
  );
  create index links_account on links (account_id, claim);

  create table partners (
    id bigint primary key,
    email text not null unique,
    name text not null,
    password text not null,
    created_at timestamptz not null
  );
  create table oauth_clients (
    id uuid primary key,
    partner_id bigint not null references partners,
    name text not null,
    redirect_uris text[] not null,
    created_at timestamptz not null
  );

  -- Machine tokens of partners, which are valid in all cells, by their SHA-256.
  create table machine_tokens (
    hash bytea primary key,
    grant_id uuid not null,
    partner_id bigint not null,
    scope text[] not null,
    expires_at timestamptz not null
  );
  create index machine_tokens_grant on machine_tokens (grant_id);
  create index machine_tokens_expires on machine_tokens (expires_at);

  -- The cell and the moves of an account as a cell knows them. Returns what the directory has then.
  create function place_account(account bigint, its_cell text, its_moves integer, out cell text, out moves integer)
  language plpgsql as $$
  begin
    insert into cells (name) values (its_cell) on conflict do nothing;
    insert into accounts as a (id, cell, moves) values (account, its_cell, its_moves)
    on conflict (id) do update set cell = excluded.cell, moves = excluded.moves, since = now() where a.moves < excluded.moves;
    select a.cell, a.moves into place_account.cell, place_account.moves from accounts a where a.id = account;
  end $$;

  -- Links a messenger account to a channel of this account and cell. A new claim, or who holds it: the account itself if
  -- that is in another cell.
  create function claim_link(
    its_transport text, its_messenger text, account bigint, its_cell text, its_moves integer, channel uuid,
    out claimed uuid, out holder_cell text, out holder_account bigint, out holder_channel uuid, out holder_claim uuid)
  language plpgsql as $$
  begin
    holder_cell := (place_account(account, its_cell, its_moves)).cell;
    if holder_cell <> its_cell then
      holder_account := account;
      return;
    end if;
    loop
      insert into links as l (transport, messenger_id, account_id, channel_id, claim)
      values (its_transport, its_messenger, account, channel, gen_random_uuid())
      on conflict (transport, messenger_id) do update
        set account_id = excluded.account_id, claim = excluded.claim, claimed_at = now() where l.channel_id = excluded.channel_id
      returning l.claim into claimed;
      exit when claimed is not null;
      select a.cell, l.account_id, l.channel_id, l.claim into holder_cell, holder_account, holder_channel, holder_claim
      from links l join accounts a on a.id = l.account_id where l.transport = its_transport and l.messenger_id = its_messenger;
      exit when holder_claim is not null;
    end loop;
  end $$;
  `,
];

/** Null: the database has no directory. */
export async function directoryVersion(db: Queryable): Promise<number | null> {
  const [found] = await db.query<{ exists: boolean }>(
    "select to_regclass('directory_state') is not null as exists",
  );
  if (found?.exists !== true) return null;
  const [row] = await db.query<{ version: number }>("select version from directory_state");
  return row?.version ?? null;
}

/**
 * Makes an empty database the directory, and brings one of an earlier release up to date. Returns its version. Idempotent;
 * concurrent calls wait for one another. Throws if the database contains something else.
 */
export async function createDirectory(db: Database): Promise<number> {
  return db.tx(async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1)", [DIRECTORY_LOCK]);
    const [found] = await tx.query<{ is_cell: boolean }>(
      "select to_regclass('schema_migrations') is not null as is_cell",
    );
    if (found?.is_cell === true)
      throw new Error("This is the database of a cell. The directory needs a database of its own.");
    const version = (await directoryVersion(tx)) ?? 0;
    for (const step of STEPS.slice(version)) await tx.query(step);
    if (version < STEPS.length) await tx.query("update directory_state set version = $1", [STEPS.length]);
    return Math.max(version, STEPS.length);
  });
}

/** Applies the steps that a directory of an earlier release lacks. Throws if there is no directory. */
export async function updateDirectory(db: Database): Promise<void> {
  const version = await directoryVersion(db);
  if (version === null) throw new NoDirectory();
  if (version < STEPS.length) await createDirectory(db);
}

/** The database exists, and nobody has made it the directory. */
export class NoDirectory extends Error {
  override readonly name = "NoDirectory";
  constructor() {
    super('The database at DIRECTORY_URL contains no directory. Create it with "directory create".');
  }
}
