import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { ServerIdentity } from "../../sandbox/whatsapp/tls/certificate.ts";

/** A server that speaks as much of NATS as one who publishes to JetStream needs, with a user and TLS. */
export interface NatsBroker {
  readonly port: number;
  /** Subjects of the messages that it has acknowledged. */
  readonly subjects: readonly string[];
  /** Their headers by their ids; of a repeated one, the latest. */
  readonly headers: Map<string, string>;
  /** What clients have sent to sign in, before they were believed. */
  readonly logins: readonly NatsLogin[];
  stop(): Promise<void>;
}

interface NatsLogin {
  readonly user?: string;
  readonly pass?: string;
  readonly auth_token?: string;
}

interface NatsOptions {
  readonly user: string;
  readonly password: string;
  /** Null: it has no TLS. */
  readonly identity: ServerIdentity | null;
}

export async function startNatsBroker(options: NatsOptions): Promise<NatsBroker> {
  const subjects: string[] = [];
  const headers = new Map<string, string>();
  const logins: NatsLogin[] = [];
  const sockets = new Set<Socket>();
  const { identity } = options;
  const info = { server_id: "test", version: "2.9.10", proto: 1, headers: true, max_payload: 1_048_576 };
  const server = createServer((plain) => {
    sockets.add(plain);
    plain.on("close", () => sockets.delete(plain)).on("error", () => undefined);
    plain.write(`INFO ${JSON.stringify({ ...info, tls_required: identity !== null })}\r\n`);
    serve(identity === null ? plain : encrypted(plain, identity), { ...options, subjects, headers, logins });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    port,
    subjects,
    headers,
    logins,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function encrypted(socket: Socket, { key, certificate }: ServerIdentity): Socket {
  const secureContext = createSecureContext({ key, cert: certificate });
  return new TLSSocket(socket, { isServer: true, secureContext }).on("error", () => undefined);
}

interface Served extends NatsOptions {
  readonly subjects: string[];
  readonly headers: Map<string, string>;
  readonly logins: NatsLogin[];
}

/** One line at a time; behind that of a message are as many bytes as it says. */
function serve(socket: Socket, { user, password, subjects, headers, logins }: Served): void {
  let input = Buffer.alloc(0);
  let inbox = "";
  const answer = (line: string, body: string): void => {
    const [verb = "", ...words] = line.split(" ");
    if (verb === "CONNECT") {
      const login = JSON.parse(line.slice(verb.length)) as NatsLogin;
      logins.push(login);
      if (login.user !== user || login.pass !== password) socket.end("-ERR 'Authorization Violation'\r\n");
    } else if (verb === "PING") socket.write("PONG\r\n");
    else if (verb === "SUB") inbox = words.at(-1) ?? "";
    else if (verb === "HPUB" || verb === "PUB") {
      const [subject = "", reply = ""] = words;
      if (verb === "HPUB") subjects.push(subject);
      const [, id] = /^Nats-Msg-Id: (.+)$/m.exec(body) ?? [];
      if (id !== undefined) headers.set(id.trim(), body);
      // What JetStream says of a stored message, and of the streams that take a subject.
      const said = JSON.stringify({ stream: "EVENTS", seq: subjects.length, streams: ["EVENTS"] });
      socket.write(`MSG ${reply} ${inbox} ${said.length}\r\n${said}\r\n`);
    }
  };
  socket.on("data", (chunk: Buffer) => {
    input = Buffer.concat([input, chunk]);
    for (let end = input.indexOf("\r\n"); end >= 0; end = input.indexOf("\r\n")) {
      const line = input.toString("utf8", 0, end);
      const length = /^H?PUB /.test(line) ? Number(line.split(" ").at(-1)) + 2 : 0;
      if (input.length < end + 2 + length) return;
      const body = input.toString("utf8", end + 2, end + 2 + length);
      input = input.subarray(end + 2 + length);
      answer(line, body);
    }
  });
}
