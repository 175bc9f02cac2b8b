import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** One address in front of changing nodes, like a load balancer. */
export interface Front {
  readonly url: string;
  close(): void;
}

/** Forwards every connection to the address that `target` returns at that moment. */
export async function openFront(target: () => string): Promise<Front> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const { hostname, port } = new URL(target());
    const node = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, node],
      [node, socket],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
