import { type Counted, FaultList } from "../fault-list.ts";
import type { Interruption } from "./media/store.ts";

/** The namespace of faults of downloads from the media store; `what` is the interruption. */
export const downloadFault = "download";
export const interruptions: readonly Interruption[] = ["drop", "silence"];

/** An injected fault, and whose requests it applies to. */
export interface Fault extends Counted {
  /** Only requests of this account. */
  readonly phone: string | undefined;
  /** Only messages to this phone number or group. */
  readonly to: string | undefined;
  /** Only queries of this namespace; absent: only messages. */
  readonly xmlns: string | undefined;
  /** Only queries whose first child has this tag. */
  readonly what: string | undefined;
  /** Refused with this code; absent: no response. */
  readonly errorCode: number | undefined;
}

/** The fields of a request that a fault may match. */
interface Faultable {
  readonly phone: string | undefined;
  readonly to?: string | undefined;
  readonly xmlns?: string;
  readonly what?: string | undefined;
}

export function createFaultList(): FaultList<Fault, Faultable> {
  return new FaultList(fits);
}

function fits(fault: Fault, request: Faultable): boolean {
  return (
    (fault.xmlns ?? request.xmlns) === request.xmlns &&
    (request.xmlns === undefined || fault.xmlns !== undefined) &&
    (fault.phone ?? request.phone) === request.phone &&
    (fault.to ?? request.to) === request.to &&
    (fault.what ?? request.what) === request.what
  );
}
