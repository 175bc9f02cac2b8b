import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<string | undefined>();

/**
 * Runs a request about a message. What is logged in the meantime, and in what the request starts, carries its id
 * (`currentMessage`), also in a worker process.
 */
export function aboutMessage<T>(messageId: string | undefined, run: () => T): T {
  return current.run(messageId, run);
}

/** The id of the message that the running request is about; undefined: none. */
export function currentMessage(): string | undefined {
  return current.getStore();
}
