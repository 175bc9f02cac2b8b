import { clientOf } from "./client.ts";
import { PAGE_OPERATIONS } from "./page-operations.ts";

/** Requests of the pages for people: connect and chat. */
export const { call } = clientOf(PAGE_OPERATIONS);
/** Names of their operations. */
export type PageOperation = keyof typeof PAGE_OPERATIONS;
