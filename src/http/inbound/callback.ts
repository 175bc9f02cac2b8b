import type { FastifyReply, FastifyRequest } from "fastify";
import { receiveAppCallback, receiveCallback } from "../../core/channel/callback.ts";
import type { Core } from "../../core/core.ts";
import type { InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import type { App } from "../app.ts";

/** Meta's calls are the largest, up to 3 MB. Anybody can send one, and it is in memory until the connector has verified it. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const EMPTY = new Uint8Array();

/**
 * `/in/{transport}/{channelId}` and everything below, and `/in/{transport}` for messengers that call one address for
 * all channels. Any method, the body byte for byte; the transport's connector verifies who calls.
 */
export function callbackRoutes(app: App, core: Core): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  );
  const options = { bodyLimit: MAX_BODY_BYTES, schema: { hide: true } as object };
  for (const url of ["/in/:transport/:channelId", "/in/:transport/:channelId/*"]) {
    app.all<{ Params: { transport: string; channelId: string; "*"?: string } }>(
      url,
      options,
      async (request, reply) => {
        const { transport, channelId, "*": rest = "" } = request.params;
        const call = callOf(request, rest === "" ? "" : `/${rest}`);
        return send(reply, await receiveCallback(core, transport, channelId, call));
      },
    );
  }
  app.all<{ Params: { transport: string } }>("/in/:transport", options, async (request, reply) =>
    send(reply, await receiveAppCallback(core, request.params.transport, callOf(request, ""))),
  );
}

function callOf(request: FastifyRequest, path: string): InboundRequest {
  return {
    method: request.method,
    path,
    query: queryOf(request.url),
    headers: request.headers,
    body: request.body instanceof Uint8Array ? request.body : EMPTY,
  };
}

function send(reply: FastifyReply, answer: InboundReply): FastifyReply {
  const { status, body = "", contentType = "text/plain; charset=utf-8", headers = {} } = answer;
  return reply.code(status).headers(headers).type(contentType).send(body);
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start));
}
