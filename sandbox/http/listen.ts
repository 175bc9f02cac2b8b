import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";

/** Port 0 selects a free one. Resolves with the port; rejects if it is in use. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  const listening = once(server, "listening");
  server.listen(port, host);
  await listening;
  return (server.address() as AddressInfo).port;
}

/** Listens on the port stored in the file, or else on a free one, which is stored there. */
export async function listenAgain(server: Server, host: string, path: string): Promise<number> {
  const last = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
  const port = await listen(server, host, last).catch(() => listen(server, host, 0));
  writeFileSync(path, String(port));
  return port;
}

/** Closes every connection too. */
export async function closeServer(server: HttpServer): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
