import { type Counted, FaultList } from "../fault-list.ts";

/** What goes wrong on purpose with a request, and for whom. */
export interface Fault extends Counted {
  readonly opcode: number | undefined;
  readonly phone: string | undefined;
  readonly chatId: number | undefined;
  /** Refused with this code. */
  readonly error: string | undefined;
  readonly message: string | undefined;
  readonly hangMs: number | undefined;
  /** The line breaks before the work is done, or after it. */
  readonly drop: "before" | "after" | undefined;
  /** No answer comes: the work is not done, or it is. */
  readonly silent: "before" | "after" | undefined;
  /** The answer is not what it should be. */
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

/** A request as faults look at it. */
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
