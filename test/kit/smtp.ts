import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { startOwnServer } from "./own-port.ts";

/** A mail server that keeps what it gets. */
export interface MailServer {
  readonly url: string;
  /** Envelope recipients and source of each mail. */
  readonly mails: readonly { readonly to: readonly string[]; readonly source: string }[];
  /** Not null: the answer to every sender, such as `550 no`. */
  refusal: string | null;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: { to: string[]; source: string }[] = [];
  const sockets = new Set<Socket>();
  const create = () =>
    createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
      void talk(socket);
    });
  const { port, close } = await startOwnServer(create, () => {
    for (const socket of sockets) socket.destroy();
  });
  const server: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refusal: null,
    close,
  };

  async function talk(socket: Socket): Promise<void> {
    const say = (line: string) => socket.write(`${line}\r\n`);
    let to: string[] = [];
    let source: string[] | null = null;
    say("220 test");
    for await (const line of createInterface({ input: socket })) {
      if (source !== null) {
        if (line !== ".") source.push(line);
        else {
          mails.push({ to, source: source.join("\n") });
          [to, source] = [[], null];
          say("250 kept");
        }
      } else if (/^(EHLO|HELO)/.test(line)) say("250 test");
      else if (line.startsWith("MAIL")) say(server.refusal ?? "250 ok");
      else if (line.startsWith("RCPT")) {
        to.push(/<(.*)>/.exec(line)?.[1] ?? "");
        say("250 ok");
      } else if (line === "DATA") {
        source = [];
        say("354 go on");
      } else if (line === "QUIT") socket.end("221 bye\r\n");
      else say("500 unknown");
    }
  }
  return server;
}
