import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A response of a messenger, with status 200, to requests whose path matches. */
export interface LaidOutAnswer {
  readonly request: RegExp;
  /** Sent as JSON; text is sent unchanged. */
  readonly answer: unknown;
}

/** A messenger that responds to some requests only. */
export interface AnsweringServer {
  readonly url: string;
  /** Sets the responses from now on; the first match applies. */
  answer(answers: readonly LaidOutAnswer[]): void;
  close(): Promise<void>;
}

export async function startAnsweringServer(): Promise<AnsweringServer> {
  let answers: readonly LaidOutAnswer[] = [];
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      const found = answers.find((each) => each.request.test(request.url ?? ""));
      if (found === undefined) return;
      const text = typeof found.answer === "string" ? found.answer : (JSON.stringify(found.answer) ?? "");
      response.setHeader("content-type", "application/json").end(text);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answer: (next) => {
      answers = next;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
