import type { GroupMethods } from "../../../core/transport/groups.ts";
import type { Line } from "../outbound/sender.ts";
import { changeGroup } from "./change.ts";
import { createGroup } from "./create.ts";
import { readGroup } from "./read.ts";
import { toGroupError } from "./refusals.ts";

/** `line` throws if the account is not connected. */
export function groupMethods(line: () => Line): GroupMethods {
  return {
    create: (request) => orRefused(() => createGroup(line(), request)),
    read: (chatId) => orRefused(() => readGroup(line(), chatId)),
    change: (chatId, change, signal) => orRefused(() => changeGroup(line(), chatId, { change, signal })),
  };
}

async function orRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toGroupError(error);
  }
}
