/** https://dev.vk.com/ru/method/groups.getCallbackServers */
export type ServerStatus = "unconfigured" | "failed" | "wait" | "ok";

/** A community's address for events. */
export interface CallbackServer {
  readonly id: number;
  readonly creatorId: number;
  url: string;
  title: string;
  secret: string;
  status: ServerStatus;
  apiVersion: string;
  /** The types it receives; initially none. */
  events: ReadonlySet<string>;
  /** Consecutive failed deliveries. */
  failures: number;
}
