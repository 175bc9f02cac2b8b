import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A connection to the service through a network that can stall: nothing is lost or reset, but no byte passes. */
export interface StallingProxy {
  readonly url: string;
  stall(): void;
  /** Connections from before the stall stay dead. */
  resume(): void;
  close(): void;
}

export async function startStallingProxy(target: string): Promise<StallingProxy> {
  const { hostname, port } = new URL(target);
  let isStalled = false;
  const live = new Set<[Socket, Socket]>();
  const dead = new Set<Socket>();
  const waiting = new Set<Socket>();
  const pass = (near: Socket): void => {
    const far = connect(Number(port), hostname);
    const pair: [Socket, Socket] = [near, far];
    live.add(pair);
    near.pipe(far).pipe(near);
    for (const each of pair)
      each.on("close", () => {
        live.delete(pair);
        if (!isStalled) for (const other of pair) other.destroy();
      });
  };
  const server = createServer((near) => {
    near.on("error", () => near.destroy());
    if (isStalled) waiting.add(near);
    else pass(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stall() {
      isStalled = true;
      for (const pair of live)
        for (const each of pair) {
          each.unpipe();
          each.pause();
          dead.add(each);
        }
      live.clear();
    },
    resume() {
      isStalled = false;
      for (const near of waiting) pass(near);
      waiting.clear();
    },
    close() {
      for (const each of [...dead, ...waiting, ...[...live].flat()]) each.destroy();
      server.close();
    },
  };
}
