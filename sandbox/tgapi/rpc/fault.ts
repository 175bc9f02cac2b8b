import { type Counted, FaultList } from "../../fault-list.ts";

/**
 * The effect on a call: it is refused (`error`), executed without a response (`silence`), executed and the connection
 * dropped before the response (`drop`), or the connection is dropped before it is executed (`drop_before`).
 */
export type FaultKind = "error" | "silence" | "drop" | "drop_before";

/** An injected fault, and the calls that it applies to. */
export interface Fault extends Counted {
  readonly kind: FaultKind;
  readonly phone: string | undefined;
  readonly method: string | undefined;
  /** Only calls that write to this phone number or group. */
  readonly to: string | undefined;
  readonly errorCode: number;
  readonly errorText: string;
  /** With a dropped connection: the server drops the session too, with the response. */
  readonly forget: boolean;
}

/** The fields of a call that a fault may match. */
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
