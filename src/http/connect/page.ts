import type { FastifyReply } from "fastify";
import { type PageRequest, visitPage } from "../../core/channel/connect-page.ts";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import type { PageReply } from "../../core/transport/connector.ts";
import { html } from "../../platform/html.ts";
import type { App } from "../app.ts";

const MAX_BODY_BYTES = 64 * 1024;

/** Forms go back to where they came from, or on to the messenger from there; scripts and foreign content never. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
};

/**
 * `/connect/{transport}/{ticket}`: where a person links a channel, on a page of its transport. The messenger sends the
 * person back to `/connect/{transport}?state={ticket}`.
 */
export function connectPageRoutes(app: App, core: Core): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: MAX_BODY_BYTES },
    (_request, body, done) => done(null, body),
  );
  for (const [id, { connector }] of core.transports) {
    if (connector.page === undefined) continue;
    app.route<{ Params: { ticket: string } }>({
      method: ["GET", "POST"],
      url: `/connect/${id}/:ticket`,
      schema: { hide: true } as object,
      handler: (request, reply) => answer(core, reply, id, request.params.ticket, visitOf(request)),
    });
    app.get(`/connect/${id}`, { schema: { hide: true } as object }, (request, reply) => {
      const visit = visitOf(request);
      return answer(core, reply, id, visit.query.get("state") ?? "", visit);
    });
  }
}

function visitOf(request: {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}): PageRequest {
  const start = request.url.indexOf("?");
  return {
    method: request.method === "POST" ? "POST" : "GET",
    query: new URLSearchParams(start < 0 ? "" : request.url.slice(start)),
    form: new URLSearchParams(typeof request.body === "string" ? request.body : ""),
  };
}

async function answer(
  core: Core,
  reply: FastifyReply,
  transportId: string,
  ticket: string,
  request: PageRequest,
): Promise<FastifyReply> {
  const page = await visitPage(core, transportId, ticket, request).catch(outdated);
  if ("redirect" in page) return reply.redirect(page.redirect, 303);
  return reply
    .code(page.status ?? 200)
    .headers(HEADERS)
    .send(document(page));
}

/** A person should read what to do, not an error for programs. */
function outdated(error: unknown): PageReply {
  if (!(error instanceof AppError) || error.code !== "NOT_FOUND") throw error;
  return {
    status: 404,
    title: "This link has served",
    html: "<p>The channel is connected already, or its link is outdated. Ask for a new link where you got this one.</p>",
  };
}

function document({ title, html: content }: Extract<PageReply, { title: string }>): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body><main><h1>${title}</h1>${{ html: content }}</main></body>
</html>`.html;
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 34rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.2; }
h2 { font-size: 1.1rem; margin-top: 2.5rem; }
label { display: block; margin: 1rem 0 0; font-weight: 600; }
small { display: block; font-weight: 400; }
input:not([type=radio]), select { box-sizing: border-box; width: 100%; padding: .6rem; font: inherit; border: 1px solid #8886; border-radius: .4rem; }
.radio { font-weight: 400; }
.button, button { display: inline-block; margin-top: 1.5rem; padding: .7rem 1.4rem; font: inherit; font-weight: 600; color: #fff; background: #0a6c4b; border: 0; border-radius: .4rem; text-decoration: none; cursor: pointer; }
[role=alert] { padding: .8rem 1rem; border-left: .25rem solid #c2410c; background: #c2410c1a; }
`;
