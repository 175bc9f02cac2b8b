import { type Counted, FaultList } from "../../fault-list.ts";

/**
 * What becomes of a call: it is refused (`error`), carried out without an answer (`silence`), carried out and the line
 * dropped before the answer (`drop`), or the line is dropped before it is carried out (`drop_before`).
 */
export type FaultKind = "error" | "silence" | "drop" | "drop_before";

/** What goes wrong on purpose, and for which calls. */
export interface Fault extends Counted {
  readonly kind: FaultKind;
  readonly phone: string | undefined;
  readonly method: string | undefined;
  /** Only calls that write to this phone number or group. */
  readonly to: string | undefined;
  readonly errorCode: number;
  readonly errorText: string;
  /** With a dropped line: the server forgets the session, and with it the answer. */
  readonly forget: boolean;
}

/** A call as faults look at it. */
export interface FaultableCall {
  readonly phone: string | undefined;
  readonly method: string;
  readonly to: string | undefined;
}

export function createFaultList(): FaultList<Fault, FaultableCall> {
  return new FaultList(
    (fault, call) =>
      (fault.phone ?? call.phone) === call.phone &&
      (fault.method ?? call.method) === call.method &&
      (fault.to ?? call.to) === call.to,
  );
}
