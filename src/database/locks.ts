/**
 * The keys of all advisory locks, defined together because they share one key space with other users of the database.
 * The high half spells "TL"; values are below 2^53.
 */
const BASE = 0x544c * 2 ** 32;

/** Held by the program that runs migrations. */
export const MIGRATION_LOCK = BASE + 1;
/**
 * Held in shared mode by every program attached to the embedded server. A program that gets it exclusively may stop
 * the server.
 */
export const ATTACHED_LOCK = BASE + 2;
/** Held while a program checks whether it is the last one attached. */
export const DETACH_LOCK = BASE + 3;
/** Held by the single service that uses a data directory. */
export const SERVICE_LOCK = BASE + 4;
/** Held while the sequences of the logs advance to the ids of a new day. */
export const LOG_DAY_LOCK = BASE + 5;
/** Held by the transaction that fills the full-text index of messages, or deletes messages. */
export const SEARCH_INDEX_LOCK = BASE + 6;
/** Held in the directory while its schema is created or brought up to date. */
export const DIRECTORY_LOCK = BASE + 7;

/** The first of the two keys of the lock of an account's event log; the second is the account. */
export const EVENT_LOG_LOCK = 0x544c;
/** The first of the two keys of the lock of a channel's queue of numbers to look up; the second follows from the channel. */
export const PHONE_QUEUE_LOCK = 0x544d;

/** The first of the two keys of the lock of a moving account; the second is the account. See `follow_account_move`. */
export const MOVE_LOCK = 0x544e;

/** The first of the two keys of the lock that the command which moves an account holds; the second is the account. */
export const MOVE_COMMAND_LOCK = 0x544f;
