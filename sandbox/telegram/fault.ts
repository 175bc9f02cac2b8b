import { type Counted, FaultList } from "../fault-list.ts";
import type { HttpEffect } from "../http/fault.ts";

/** An injected fault. */
export interface Fault extends Counted {
  readonly botId: number | undefined;
  /** Lower case; undefined matches every method. */
  readonly method: string | undefined;
  readonly chatId: number | undefined;
  readonly effect: FaultEffect;
}

/** The effects combine: a call may hang first and then fail or lose its connection. */
export interface FaultEffect extends HttpEffect {
  readonly error?: { readonly code: number; readonly description: string; readonly retryAfter?: number };
}

/** The fields of a call that a fault may match. */
interface FaultyCall {
  readonly botId: number;
  readonly method: string;
  readonly chatId: number;
}

export function createFaultList(): FaultList<Fault, FaultyCall> {
  return new FaultList(
    (fault, call) =>
      (fault.botId ?? call.botId) === call.botId &&
      (fault.method ?? call.method) === call.method &&
      (fault.chatId ?? call.chatId) === call.chatId,
  );
}
