import { messageOf } from "../message-of.ts";
import type { BrokerAddress } from "./address.ts";

type Host = BrokerAddress["hosts"][number];

/** What `open` gives for the first host that accepts a connection. Throws the reasons of all if none does. */
export async function firstHost<T>(hosts: readonly Host[], open: (host: Host) => Promise<T>): Promise<T> {
  const failures = new Set<string>();
  for (const host of hosts)
    try {
      return await open(host);
    } catch (error) {
      failures.add(messageOf(error));
    }
  throw new Error([...failures].join("; "));
}
