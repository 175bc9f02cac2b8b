import type { Upload } from "../../http/multipart.ts";
import type { Param } from "../../meta/param.ts";
import type { FaultEffect } from "../fault.ts";
import type { World } from "../world.ts";
import type { Caller } from "./auth.ts";

/** A call of the Graph API, with everything its handler needs. */
export interface GraphCall {
  readonly world: World;
  readonly caller: Caller;
  readonly method: string;
  /** `v23.0` */
  readonly version: string;
  /** The part of the path after the edge: the `{id}` of `POST message_qrdls/{id}`, else empty. */
  readonly target: string;
  readonly param: Param;
  readonly files: ReadonlyMap<string, Upload>;
  /** The effect of a fault that the handler itself must apply. */
  readonly effect: FaultEffect | undefined;
}

/** Returns a JSON value. */
export type GraphHandler<T> = (call: GraphCall, node: T) => unknown;

/**
 * The handlers of a kind of object, by `METHOD edge`; an empty edge is the object itself, and `edge/{id}` names an
 * item of it.
 */
export type EdgeTable<T> = Readonly<Record<string, GraphHandler<T>>>;
