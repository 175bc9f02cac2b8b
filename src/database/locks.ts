/**
 * Keys of the advisory locks, all in one place since they share one space with whatever else uses the database.
 * The high half spells "TL"; values stay below 2^53.
 */
const BASE = 0x544c * 2 ** 32;

/** Held by the one program that migrates. */
export const MIGRATION_LOCK = BASE + 1;
/** Shared by every program attached to the embedded server; who gets it alone may stop the server. */
export const ATTACHED_LOCK = BASE + 2;
/** Held while a program decides whether it is the last one attached. */
export const LEAVING_LOCK = BASE + 3;
/** Held by the one service that works in a data directory. */
export const SERVICE_LOCK = BASE + 4;
/** Held while the numbers of the logs jump to those of a day. */
export const LOG_DAY_LOCK = BASE + 5;

/** First of the two keys of the lock of an account's event log; the second is the account. */
export const EVENT_LOG_LOCK = 0x544c;
