import { createRequire } from "node:module";

type Job = () => Promise<unknown>;

/**
 * Patches libsignal 6, which queues all work on a peer's sessions by the peer's address alone, for all accounts of the
 * process (`queue_job.js`). A job runs in the asynchronous context of whoever started the queue. baileys keeps its
 * transactions in that context, so with two accounts that write to the same person, a job may run in a transaction
 * that has ended: its session is never stored, the next text reuses the key, and the phone silently drops it. Besides,
 * one account would wait for the other's store.
 *
 * A job now runs at once, in its caller's context. The turns of `repositoryMaker` order the work on a person's
 * sessions, per account. Must run before anything loads libsignal's other modules; see `library.ts`.
 */
const require = createRequire(createRequire(import.meta.url).resolve("baileys"));
const path = "libsignal/src/queue_job.js";
require(path);
const loaded = require.cache[require.resolve(path)];
if (loaded === undefined) throw new Error("libsignal's queue was not found");
loaded.exports = async (_address: string, job: Job): Promise<unknown> => job();
