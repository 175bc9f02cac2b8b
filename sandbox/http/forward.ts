import { request as openRequest } from "node:http";
import { answerJson, type Exchange } from "./exchange.ts";

/** Forwards an admin request to another process, and returns its response. */
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
  // If a waiting caller disconnects, its wait must end too.
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}
