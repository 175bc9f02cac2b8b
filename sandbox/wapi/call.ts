import type { Upload } from "../http/multipart.ts";
import type { Param } from "../meta/param.ts";
import type { Caller } from "./auth.ts";
import type { FaultEffect } from "./fault.ts";
import type { World } from "./world.ts";

/** A call of the Graph API, with everything its handler needs. */
export interface GraphCall {
  readonly world: World;
  readonly caller: Caller;
  readonly method: string;
  /** `v23.0` */
  readonly version: string;
  /** What follows the edge in the path: the `{id}` of `POST message_qrdls/{id}`, else empty. */
  readonly target: string;
  readonly param: Param;
  readonly files: ReadonlyMap<string, Upload>;
  /** What a fault ordered that the handler itself must do. */
  readonly effect: FaultEffect | undefined;
}

/** Answers with a JSON value. */
export type GraphHandler<T> = (call: GraphCall, node: T) => unknown;

/**
 * The handlers of a kind of object, by `METHOD edge`; the edge is empty for the object itself, and `edge/{id}` where an item
 * of it is named.
 */
export type EdgeTable<T> = Readonly<Record<string, GraphHandler<T>>>;
