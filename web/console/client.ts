import { clientOf } from "../kit/api/client.ts";
import { CONSOLE_OPERATIONS } from "./operations.ts";

/** Requests of the console. */
export const { call, requestOf } = clientOf(CONSOLE_OPERATIONS);
/** Names of its operations. */
export type ConsoleOperation = keyof typeof CONSOLE_OPERATIONS;
