import { type Counted, FaultList } from "../fault-list.ts";
import type { CallEffect } from "../http/api-server.ts";

/** An injected fault. */
export interface Fault extends Counted {
  readonly botId: string | undefined;
  /** For example `send_message`; undefined matches every method. */
  readonly method: string | undefined;
  /** The bot's id of the person. */
  readonly viberId: string | undefined;
  readonly effect: CallEffect;
}

/** The fields of a call that a fault may match. */
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
