import { type Counted, FaultList } from "../fault-list.ts";
import type { HttpEffect } from "../http/fault.ts";
import type { GraphError } from "../meta/graph-error.ts";

/** The calls that a fault applies to; undefined fields match every call. */
export interface FaultScope {
  /** Id of the number, account, template, media or app in the path, or a fixed path such as `debug_token`. */
  readonly node: string | undefined;
  /** For example `messages`; empty: the node itself. */
  readonly edge: string | undefined;
  readonly method: string | undefined;
  /** The recipient of a message, as in the request. */
  readonly to: string | undefined;
}

/** An injected fault. */
export interface Fault extends Counted {
  readonly scope: FaultScope;
  readonly effect: FaultEffect;
}

/** The effects combine: a call may hang first and then fail or lose its line. */
export interface FaultEffect extends HttpEffect {
  readonly error?: GraphError;
  /** The message is accepted and fails later, with this code in a status. */
  readonly status?: { readonly code: number; readonly details?: string };
}

/** The fields of a call that a fault may match. */
interface FaultyCall {
  readonly node: string;
  readonly edge: string;
  readonly method: string;
  readonly to: string | undefined;
}

export function createFaultList(): FaultList<Fault, FaultyCall> {
  return new FaultList(matches);
}

/** A fault that takes effect in a status applies only to messages. */
function matches({ scope, effect }: Fault, call: FaultyCall): boolean {
  if (effect.status && (call.edge !== "messages" || call.to === undefined)) return false;
  return (
    (scope.node ?? call.node) === call.node &&
    (scope.edge ?? call.edge) === call.edge &&
    (scope.method ?? call.method) === call.method &&
    (scope.to ?? call.to) === call.to
  );
}
