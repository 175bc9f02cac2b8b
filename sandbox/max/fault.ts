import { type Counted, FaultList } from "../fault-list.ts";

/** An injected fault of a request, and whose requests it applies to. */
export interface Fault extends Counted {
  readonly opcode: number | undefined;
  readonly phone: string | undefined;
  readonly chatId: number | undefined;
  /** Refused with this code. */
  readonly error: string | undefined;
  readonly message: string | undefined;
  readonly hangMs: number | undefined;
  /** The connection breaks before the request takes effect, or after. */
  readonly drop: "before" | "after" | undefined;
  /** No response: the request takes effect, or not. */
  readonly silent: "before" | "after" | undefined;
  /** The response has a defect. */
  readonly forge: Forgery | undefined;
}

export const forgeries = [
  "seq",
  "opcode",
  "payload",
  "truncated",
  "length",
  "bomb",
  "garbage",
  "twice",
] as const;
export type Forgery = (typeof forgeries)[number];

/** The fields of a request that a fault may match. */
interface Faultable {
  readonly opcode: number;
  readonly phone: string | undefined;
  readonly chatId: number | undefined;
}

export function createFaultList(): FaultList<Fault, Faultable> {
  return new FaultList(
    (fault, request) =>
      (fault.opcode ?? request.opcode) === request.opcode &&
      (fault.phone ?? request.phone) === request.phone &&
      (fault.chatId ?? request.chatId) === request.chatId,
  );
}
