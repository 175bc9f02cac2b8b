import { type Counted, FaultList } from "../fault-list.ts";
import type { CallEffect } from "../http/api-server.ts";

/** The calls that a fault applies to; undefined fields match every call. */
export interface FaultScope {
  /** The first part of the path: an id, `me`, `oauth`, `refresh_access_token`, `access_token`. */
  readonly node: string | undefined;
  /** For example `messages`; empty: the node itself. */
  readonly edge: string | undefined;
  readonly method: string | undefined;
  /** The id of the person or comment that a message is sent to. */
  readonly to: string | undefined;
}

/** An injected fault. */
export interface Fault extends Counted {
  readonly scope: FaultScope;
  readonly effect: CallEffect;
}

/** The fields of a call that a fault may match. */
export interface FaultyCall {
  readonly node: string;
  readonly edge: string;
  readonly method: string;
  readonly to: string | undefined;
}

export function createFaultList(): FaultList<Fault, FaultyCall> {
  return new FaultList(
    ({ scope }, call) =>
      (scope.node ?? call.node) === call.node &&
      (scope.edge ?? call.edge) === call.edge &&
      (scope.method ?? call.method) === call.method &&
      (scope.to ?? call.to) === call.to,
  );
}
