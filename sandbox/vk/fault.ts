import { type Counted, FaultList } from "../fault-list.ts";
import type { HttpEffect } from "../http/fault.ts";
import type { VkError } from "./call/vk-error.ts";

/** The calls that a fault applies to; undefined fields match every call. */
export interface FaultScope {
  readonly groupId: number | undefined;
  /** Lower case; `upload` is the upload servers, `long_poll` the long-poll server, `oauth` the token address. */
  readonly method: string | undefined;
  readonly peerId: number | undefined;
}

/** An injected fault. */
export interface Fault extends Counted {
  readonly scope: FaultScope;
  readonly effect: FaultEffect;
}

/** The effects combine: a call may hang first and then fail or lose its line. */
export interface FaultEffect extends HttpEffect {
  readonly error?: VkError;
}

/** The fields of a call that a fault may match. */
export interface FaultyCall {
  readonly groupId: number | undefined;
  readonly method: string;
  readonly peerId: number | undefined;
}

export function createFaultList(): FaultList<Fault, FaultyCall> {
  return new FaultList(
    ({ scope }, call) =>
      (scope.groupId ?? call.groupId) === call.groupId &&
      (scope.method ?? call.method.toLowerCase()) === call.method.toLowerCase() &&
      (scope.peerId ?? call.peerId) === call.peerId,
  );
}
