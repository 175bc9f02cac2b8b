import type { FastifyReply } from "fastify";
import { type PageRequest, visitPage } from "../../core/channel/connect-page.ts";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import type { PageReply } from "../../core/transport/connector.ts";
import type { App } from "../app.ts";
import { page, pageHeaders } from "../pages/page.ts";

const MAX_BODY_BYTES = 64 * 1024;

/**
 * Forms go back to where they came from, or on to the messenger from there; scripts and foreign content never. A CRM may
 * show the page inside of its own: who knows its address could as well open it.
 */
const HEADERS = pageHeaders({ frames: "*", formTargets: ["*"] });

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
  const shown = await visitPage(core, transportId, ticket, request).catch(outdated);
  if ("redirect" in shown) return reply.redirect(shown.redirect, 303);
  const { status = 200, title, html } = shown;
  return reply.code(status).headers(HEADERS).send(page(title, { html }));
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
