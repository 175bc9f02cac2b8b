import { type Counted, FaultList } from "../fault-list.ts";
import type { CallEffect } from "../http/api-server.ts";

/** An injected fault. */
export interface Fault extends Counted {
  readonly botId: number | undefined;
  /** For example `POST`; undefined matches every method. */
  readonly method: string | undefined;
  /** The first part of the path, e.g. `messages`. */
  readonly node: string | undefined;
  /** The chat or user that the call names. */
  readonly chatId: number | undefined;
  readonly effect: CallEffect;
}

/** The fields of a call that a fault may match. */
export interface FaultyCall {
  readonly botId: number | undefined;
  readonly method: string;
  readonly node: string;
  readonly chatId: number | undefined;
}

export function createFaultList(): FaultList<Fault, FaultyCall> {
  return new FaultList(
    (fault, call) =>
      (fault.botId ?? call.botId) === call.botId &&
      (fault.method ?? call.method) === call.method &&
      (fault.node ?? call.node) === call.node &&
      (fault.chatId ?? call.chatId) === call.chatId,
  );
}
