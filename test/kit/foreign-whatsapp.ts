import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { Connection } from "../../sandbox/whatsapp/connection.ts";
import { generateKeyPair } from "../../sandbox/whatsapp/crypto/x25519.ts";
import { certify } from "../../sandbox/whatsapp/noise/identity.ts";
import { type Node, node, serverName } from "../../sandbox/whatsapp/wire/node.ts";

/**
 * A server of somebody else's that speaks as little as will do: it lets every device in, answers pings and look-ups of
 * devices, and takes messages. It answers none of the questions that a client asks at login, never says that all that
 * waited has come, and drops a connection that begins with another server's route.
 */
export interface ForeignWhatsapp {
  readonly url: string;
  /** The root of its certificates, in hex. */
  readonly rootKey: string;
  /** What happened, in order: "connection", "login", and the questions that were asked by their namespaces. */
  readonly log: readonly string[];
  close(): Promise<void>;
}

export async function startForeignWhatsapp(): Promise<ForeignWhatsapp> {
  const root = generateKeyPair();
  const log: string[] = [];
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  server.on("connection", (socket) => {
    log.push("connection");
    new Connection(socket, certify(root), {
      onHello(connection) {
        if (connection.routing !== undefined) return connection.drop();
        log.push("login");
        connection.send(node("success", { t: String(Math.floor(Date.now() / 1_000)), props: "27" }));
      },
      onStanza: (connection, stanza) => answer(connection, stanza, log),
      onClosed: () => undefined,
      onViolation: (_, error) => log.push(`violation ${error.message}`),
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/ws/chat`,
    rootKey: root.publicKey.toString("hex"),
    log,
    async close() {
      for (const client of server.clients) client.terminate();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

function answer(connection: Connection, { tag, attrs, content }: Node, log: string[]): void {
  if (tag !== "iq") return;
  const [first] = Array.isArray(content) ? content : [];
  const result = { type: "result", id: attrs["id"] ?? "", from: serverName };
  if (first?.tag === "ping") connection.send(node("iq", result));
  else log.push(`${attrs["xmlns"]} ${first?.tag ?? ""}`.trim());
  // Nobody has an account here, which it says as soon as it is asked.
  if (first?.tag === "usync") connection.send(node("iq", result, [node("usync", {}, [node("list")])]));
}
