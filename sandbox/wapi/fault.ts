import { type Counted, FaultList } from "../fault-list.ts";
import type { HttpEffect } from "../http/fault.ts";
import type { GraphError } from "../meta/graph-error.ts";

/** Which calls a fault waits for; what is undefined matches every call. */
export interface FaultScope {
  /** Id of the number, account, template, media or app in the path, or a fixed path such as `debug_token`. */
  readonly node: string | undefined;
  /** e.g. `messages`; empty for the node itself. */
  readonly edge: string | undefined;
  readonly method: string | undefined;
  /** The recipient of a message, as it came. */
  readonly to: string | undefined;
}

/** What goes wrong on purpose, and how often. */
export interface Fault extends Counted {
  readonly scope: FaultScope;
  readonly effect: FaultEffect;
}

/** The effects combine: a call may hang first and then fail or lose its line. */
export interface FaultEffect extends HttpEffect {
  readonly error?: GraphError;
  /** The message is accepted and fails later, by a status with this code. */
  readonly status?: { readonly code: number; readonly details?: string };
}

/** A call that a fault may hit. */
interface FaultyCall {
  readonly node: string;
  readonly edge: string;
  readonly method: string;
  readonly to: string | undefined;
}

export function createFaultList(): FaultList<Fault, FaultyCall> {
  return new FaultList(matches);
}

/** A fault that shows in a status can hit nothing but messages. */
function matches({ scope, effect }: Fault, call: FaultyCall): boolean {
  if (effect.status && (call.edge !== "messages" || call.to === undefined)) return false;
  return (
    (scope.node ?? call.node) === call.node &&
    (scope.edge ?? call.edge) === call.edge &&
    (scope.method ?? call.method) === call.method &&
    (scope.to ?? call.to) === call.to
  );
}
