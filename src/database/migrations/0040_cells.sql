-- expand
-- Ids of accounts: eight digits; in a cell that joined others, ten digits that begin with the cell's range.
-- tolerated: earlier nodes create ids of eight digits only
alter table accounts drop constraint accounts_id_check;
-- tolerated: allows more than before
alter table accounts add constraint accounts_id_check
  check (id between 10000000 and 99999999 or id between 1000000000 and 2146999999) not valid;

-- In the first cell of an installation: the cells that joined it (`key adopt`). Rows stay, because addresses, tokens and
-- ids of accounts contain what they name.
create table cells (
  name text primary key,
  -- The first four of the ten digits of its accounts' ids.
  id_range integer not null unique check (id_range between 1000 and 2146),
  -- Identifies the database that joined, so that another one of the same name is noticed.
  database_id uuid not null,
  joined_at timestamptz not null default now()
);
