import { request as openRequest } from "node:http";
import { answerJson, type Exchange } from "./exchange.ts";

/** Hands an admin request on to another process, as it is, and its answer back. */
export function forward(exchange: Exchange, base: string, path: string): void {
  const { request, response, query } = exchange;
  const url = `${base}${path === "" ? "/" : path}${query === "" ? "" : `?${query}`}`;
  const { host: _, connection: __, ...headers } = request.headers;
  const onward = openRequest(url, { method: exchange.method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, { "Content-Type": "application/json" });
    answer.pipe(response);
  });
  onward.on("error", ({ message }) =>
    answerJson(exchange, 502, { error: "unreachable", description: message }),
  );
  // Who waits for something and hangs up must not leave a waiter behind.
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}
