import { type Counted, FaultList } from "../fault-list.ts";
import type { CallEffect } from "../http/api-server.ts";

/** An injected fault. */
export interface Fault extends Counted {
  readonly method: string | undefined;
  /** The pattern of the call, or its last word, for example `messages` or `token`. */
  readonly call: string | undefined;
  readonly chatId: string | undefined;
  readonly accountId: number | undefined;
  readonly effect: CallEffect;
}

/** The fields of a call that a fault may match. */
export interface FaultyCall {
  readonly method: string;
  readonly pattern: string;
  readonly chatId: string | undefined;
  readonly accountId: number | undefined;
}

export function createFaultList(): FaultList<Fault, FaultyCall> {
  return new FaultList(
    (fault, call) =>
      (fault.method ?? call.method) === call.method &&
      (fault.call === undefined || fault.call === call.pattern || fault.call === lastWord(call.pattern)) &&
      (fault.chatId ?? call.chatId) === call.chatId &&
      (fault.accountId ?? call.accountId) === call.accountId,
  );
}

/** The last part of a pattern that is not a parameter. */
function lastWord(pattern: string): string {
  return pattern.split("/").findLast((part) => part !== "" && !part.startsWith("{")) ?? "";
}
