import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of a data centre that can duplicate each packet of a client. */
export interface RepeatingProxy {
  readonly port: number;
  /** Duplicates packets from now on. They must use the intermediate framing and arrive in one piece each. */
  repeat: boolean;
  close(): void;
}

export async function startRepeatingProxy(target: number): Promise<RepeatingProxy> {
  const sockets = new Set<Socket>();
  const state = { repeat: false };
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
    client.on("data", (bytes) => {
      upstream.write(bytes);
      if (state.repeat) upstream.write(bytes);
    });
    upstream.pipe(client);
    client.on("close", () => upstream.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
}
