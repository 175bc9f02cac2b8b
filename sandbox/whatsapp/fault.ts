import { type Counted, FaultList } from "../fault-list.ts";

/** What goes wrong on purpose, and for whom. */
export interface Fault extends Counted {
  /** Only requests of this account. */
  readonly phone: string | undefined;
  /** Only messages to this phone number or group. */
  readonly to: string | undefined;
  /** Only queries of this namespace; without it the fault is for messages. */
  readonly xmlns: string | undefined;
  /** Only queries whose first part is this. */
  readonly what: string | undefined;
  /** Refused with this code; without it there is no answer at all. */
  readonly errorCode: number | undefined;
}

/** A request as faults look at it. */
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
