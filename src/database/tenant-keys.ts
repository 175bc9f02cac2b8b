/**
 * Which tables do not belong to single accounts, and which keys of those that do begin with something else. All other
 * tables are tenant tables: each row belongs to one account (`account_id`), and each primary key, unique index and exclusion
 * constraint begins with it. The catalogue is compared with these lists by `test/system/tenant-keys.test.ts`.
 */

/** Tables of the installation, by name, with the reason. Those with a column `account_id` may leave it null. */
export const GLOBAL_TABLES: Readonly<Record<string, string>> = {
  accounts: "The accounts themselves; their id is the key.",
  alert_targets: "The last notification of problems to each target of the operators.",
  audit_log: "Who changed what, also in the installation as a whole; read in one order over all accounts.",
  cells: "The cells of the installation that joined this one.",
  database_timeline: "One row: the timeline of the database.",
  event_sink: "At most one row: the broker that gets the events of all accounts.",
  installation: "What the nodes of the installation agree on.",
  log_days: "The days that have a partition in the logs of events and deliveries.",
  login_attempts: "Wrong passwords of logins that may not exist, and of addresses.",
  nodes: "The nodes.",
  oauth_clients: "Applications of partners.",
  oauth_grants: "A partner's own grant belongs to no account.",
  oauth_machine_tokens: "Tokens of partners for all their accounts.",
  oauth_refresh_tokens: "Found by the token alone, and owned by its grant.",
  operator_links: "Links for people of the installation, most of whom belong to no account.",
  operator_returns: "States with which people came back from the console's provider.",
  operator_sessions: "Sessions of people of the installation.",
  operators: "People of the installation; most of them belong to no account.",
  partners: "Partners and their logins.",
  rate_counters: "Requests of accounts and of partners, whose numbers do not overlap.",
  schema_floor: "One row: the lowest release that may work.",
  schema_migrations: "The migrations.",
  upkeep_leader: "One row: the node that runs the upkeep.",
  upkeep_steps: "The steps of the upkeep.",
};

/** Unique indexes of tenant tables that do not begin with the account, by name, with the reason. */
export const GLOBAL_KEYS: Readonly<Record<string, string>> = {
  app_bindings_pkey:
    "A report to a shared application names the page or number alone, and thereby the account.",
  channels_id: "Callback addresses, codes and notifications between nodes name the channel alone.",
  channels_one_link:
    "An account of a messenger serves one channel in the whole cell; over all cells, by the directory.",
  chats_external:
    "With the account first, plans for a small table would look up chats by it instead of their id, and read the whole account.",
  connect_visits_pkey: "A person who returns from a messenger brings the visit alone.",
  files_key_key: "The public link of a file contains its key alone.",
  moved_addresses_pkey: "A request for an account that has left brings the token, channel or file alone.",
  oauth_codes_pkey: "An application exchanges the code alone.",
  page_tickets_pkey: "The link of a page contains the ticket alone.",
  page_tickets_session_hash_key: "Requests of a page carry the token of their session alone.",
  tokens_id_key: "Operators name a token by its id.",
  tokens_pkey: "A request carries the token alone, and thereby names the account.",
  webhook_cursors_pkey: "A node that works for a receiver names its cursor alone.",
};

/** Tenant tables without a primary key, with the reason. */
export const KEYLESS_TABLES: Readonly<Record<string, string>> = {
  search_queue: "The indexer takes any rows, and an index would make every message dearer.",
};
