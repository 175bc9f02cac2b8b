import { receiveCallback } from "../../core/channel/callback.ts";
import type { Core } from "../../core/core.ts";
import type { App } from "../app.ts";

const MAX_BODY_BYTES = 10 * 1024 * 1024;
const EMPTY = new Uint8Array();

/**
 * `/in/{transport}/{channelId}` and everything below: where messengers call. Any method, the body byte for byte;
 * the transport's connector verifies who calls.
 */
export function callbackRoutes(app: App, core: Core): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  );
  for (const url of ["/in/:transport/:channelId", "/in/:transport/:channelId/*"]) {
    app.all<{ Params: { transport: string; channelId: string; "*"?: string } }>(
      url,
      { bodyLimit: MAX_BODY_BYTES, schema: { hide: true } as object },
      async (request, reply) => {
        const { transport, channelId, "*": rest = "" } = request.params;
        const answer = await receiveCallback(core, transport, channelId, {
          method: request.method,
          path: rest === "" ? "" : `/${rest}`,
          query: queryOf(request.url),
          headers: request.headers,
          body: request.body instanceof Uint8Array ? request.body : EMPTY,
        });
        return reply
          .code(answer.status)
          .type("text/plain; charset=utf-8")
          .send(answer.body ?? "");
      },
    );
  }
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start));
}
