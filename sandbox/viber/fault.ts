import { type Counted, FaultList } from "../fault-list.ts";
import type { CallEffect } from "../http/api-server.ts";

/** What goes wrong on purpose, and how often. */
export interface Fault extends Counted {
  readonly botId: string | undefined;
  /** e.g. `send_message`; undefined matches every method. */
  readonly method: string | undefined;
  /** The id by which the bot knows the person. */
  readonly viberId: string | undefined;
  readonly effect: CallEffect;
}

/** A call that a fault may hit. */
export interface FaultyCall {
  readonly botId: string;
  readonly method: string;
  readonly viberId: string | undefined;
}

export function createFaultList(): FaultList<Fault, FaultyCall> {
  return new FaultList(
    (fault, call) =>
      (fault.botId ?? call.botId) === call.botId &&
      (fault.method ?? call.method) === call.method &&
      (fault.viberId ?? call.viberId) === call.viberId,
  );
}
