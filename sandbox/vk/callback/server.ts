/** https://dev.vk.com/ru/method/groups.getCallbackServers */
export type ServerStatus = "unconfigured" | "failed" | "wait" | "ok";

/** An address that a community has for its events. */
export interface CallbackServer {
  readonly id: number;
  readonly creatorId: number;
  url: string;
  title: string;
  secret: string;
  status: ServerStatus;
  apiVersion: string;
  /** Types that it is told of; none until somebody sets them. */
  events: ReadonlySet<string>;
  /** Deliveries that failed in a row. */
  failures: number;
}
