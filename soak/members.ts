import type { Crowd, CrowdStage } from "../sandbox/crowd/contract.ts";
import type { TransportDefinition } from "../src/core/transport/definition.ts";
import type { Line } from "../test/kit/line.ts";
import type * as service from "../test/kit/service.ts";
import type { Receiver } from "./receiver.ts";

export interface Account extends service.Account {
  readonly receiver: Receiver;
  /** Between the nodes and the receiver. */
  readonly line: Line;
}

export interface Messenger {
  readonly transport: string;
  readonly crowd: Crowd;
  readonly resend: TransportDefinition["capabilities"]["resend"];
  /** Calls the emulator's admin API. */
  readonly admin: CrowdStage["admin"];
}
