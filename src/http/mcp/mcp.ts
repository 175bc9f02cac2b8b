import type { FastifyRequest } from "fastify";
import { createAgentServer, loadProtocol } from "../../agent/agent-server.ts";
import type { Ask } from "../../agent/tools.ts";
import type { App } from "../app.ts";

/** By which proxies tell the client's address, which the audit log records. */
const OF_CLIENT = ["authorization", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"] as const;

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions, so that any node answers any request.
 * Each tool makes requests of the interface with the caller's token. `?send=1` adds the tools that send.
 */
export function agentRoute(app: App): void {
  app.post("/mcp", { schema: { hide: true } as object }, async (request, reply) => {
    const protocol = await loadProtocol();
    const { send } = request.query as { readonly send?: unknown };
    const access = { ask: askWith(app, request), sends: send === "1" };
    // No tool needs a subscription: every response ends.
    const options = { maxSubscriptions: 0 };
    const { fetch } = protocol.createMcpHandler(() => createAgentServer(protocol, access), options);
    const response = await fetch(webRequest(request), { parsedBody: request.body });
    reply.status(response.status);
    for (const [name, value] of response.headers) reply.header(name, value);
    return reply.send(await response.text());
  });
}

/** Without the body, which is parsed already. */
function webRequest({ method, url, headers }: FastifyRequest): Request {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return new Request(new URL(url, "http://localhost"), { method, headers: given });
}

/** A tool's request goes through the whole interface, as if the agent had made it by itself. */
function askWith(app: App, { headers, raw: { socket } }: FastifyRequest): Ask {
  const ofClient = Object.fromEntries(
    OF_CLIENT.flatMap((name) => (name in headers ? [[name, headers[name]]] : [])),
  );
  return async ({ method, path, body }) => {
    const answer = await app.inject({
      method,
      url: path,
      headers: { ...ofClient, accept: "application/json" },
      ...(socket.remoteAddress === undefined ? {} : { remoteAddress: socket.remoteAddress }),
      ...(body === undefined ? {} : { payload: body }),
    });
    return { status: answer.statusCode, json: answer.json<unknown>() };
  };
}
