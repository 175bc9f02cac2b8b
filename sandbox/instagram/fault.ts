import { type Counted, FaultList } from "../fault-list.ts";
import type { CallEffect } from "../http/api-server.ts";

/** Which calls a fault waits for; what is undefined matches every call. */
export interface FaultScope {
  /** The first part of the path: an id, `me`, `oauth`, `refresh_access_token`, `access_token`. */
  readonly node: string | undefined;
  /** e.g. `messages`; empty for the node itself. */
  readonly edge: string | undefined;
  readonly method: string | undefined;
  /** The id of the person, or of the comment, that a message goes to. */
  readonly to: string | undefined;
}

/** What goes wrong on purpose, and how often. */
export interface Fault extends Counted {
  readonly scope: FaultScope;
  readonly effect: CallEffect;
}

/** A call that a fault may hit. */
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
