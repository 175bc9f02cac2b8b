import type { IncomingHttpHeaders } from "node:http";
import { Type } from "typebox";
import { accountName } from "../../core/account/accounts.ts";
import { countRequest } from "../../core/account/rate-limit.ts";
import { hashToken } from "../../core/account/tokens.ts";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import type { HasMoves } from "../../core/move/moves.ts";
import type { Opening } from "../../core/page-ticket/opening.ts";
import {
  findLinkOrigin,
  findSession,
  openSession,
  type PageProof,
  type PageSession,
  refuseForeignChannel,
} from "../../core/page-ticket/sessions.ts";
import { isUuid } from "../../platform/ids.ts";
import type { App } from "../app.ts";
import { bearerToken } from "../limit/admission.ts";
import { errorAnswers, nullableString, nullableUuid } from "../schema/shapes.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The session of the page; set before anything else on the routes of pages. */
    pageSession: PageSession | null;
  }
}

const body = Type.Object({
  ticket: Type.String({ minLength: 1, maxLength: 500, description: "From the page's address" }),
  transport: Type.Optional(
    Type.String({ maxLength: 50, description: "With the ticket of a channel's own link: its transport" }),
  ),
});

const account = Type.String({
  description: "Name of the account whose channel it will be; empty if it has none",
});

const answer = Type.Object({
  token: Type.String({ description: "Send it as a bearer token, and keep it in memory only" }),
  expires_in: Type.Integer({ description: "Seconds" }),
  transport: { ...nullableString, description: "The transport to connect; null: the person chooses" },
  channel_id: { ...nullableUuid, description: "The channel to reconnect" },
  account,
  return_url: { ...nullableString, description: "Where the person goes on afterwards" },
});

const origin = Type.Object({
  account,
  refresh_url: { ...nullableString, description: "Where the person gets a new link" },
});

/** `POST /app/api/sessions`: a page exchanges its one-time ticket for a session. */
export function sessionRoute(app: App, core: Core): void {
  app.post(
    "/app/api/sessions",
    {
      schema: {
        operationId: "openPageSession",
        tags: ["pages"],
        summary: "Open a session of the connect page",
        body,
        response: { 200: answer, ...errorAnswers },
      },
      config: { errors: ["NOT_FOUND"] },
    },
    async ({ body: { ticket, transport } }) => {
      const proof = transport === undefined ? { ticket } : { ticket, transport };
      const opened = await openSession(core, proof);
      if (opened === null) {
        await refuseMovedProof(core, proof);
        throw new AppError("NOT_FOUND");
      }
      const { token, opening, scope, seconds } = opened;
      return {
        token,
        expires_in: seconds,
        transport: opening.transport,
        channel_id: opening.channelId,
        account: await accountName(core.db, scope.accountId),
        return_url: opening.returnUrl ?? null,
      };
    },
  );
}

/** `POST /app/api/link-origins`: for a link that no longer works. */
export function linkOriginRoute(app: App, core: Core): void {
  app.post(
    "/app/api/link-origins",
    {
      schema: {
        operationId: "readLinkOrigin",
        tags: ["pages"],
        summary: "Who has requested a link of the connect page, and gives a new one",
        body: Type.Pick(body, ["ticket"]),
        response: { 200: origin, ...errorAnswers },
      },
      config: { errors: ["NOT_FOUND"] },
    },
    async ({ body: { ticket } }) => {
      const found = await findLinkOrigin(core.db, ticket);
      if (found === null) {
        await refuseMovedProof(core, { ticket });
        throw new AppError("NOT_FOUND");
      }
      return { account: found.name, refresh_url: found.refreshUrl };
    },
  );
}

/** Throws `AccountElsewhere` for the proof of an account that has left this cell. */
export async function refuseMovedProof({ moves }: HasMoves, proof: PageProof): Promise<void> {
  if ("transport" in proof) await moves.refuseMoved("channel", proof.ticket.split(".")[0] ?? "");
  else await moves.refuseMoved("ticket", hashToken(proof.ticket).toString("hex"));
}

/** For the routes registered after it: requires a valid session of this page. */
export function admitPages(app: App, core: Core, page: Opening["page"]): void {
  app.addHook("onRequest", async (request) => {
    const token = comesFromElsewhere(request.headers) ? null : bearerToken(request.headers.authorization);
    const session = token === null ? null : await findSession(core.db, token);
    if (session !== null) await core.moves.refuseElsewhere(session.scope.accountId);
    else if (token !== null) await core.moves.refuseMoved("session", hashToken(token).toString("hex"));
    if (session?.opening.page !== page) throw new AppError("INVALID_APIKEY");
    request.pageSession = session;
    const { allowed, retryAfter } = await countRequest(core, counterOf(session));
    if (!allowed) throw new AppError("TOO_MANY_REQUESTS", { retryAfter });
  });
}

/**
 * Each session has its own limit, as large as that of an account, so that employees do not use up the requests of the
 * CRM. Negative, because accounts and partners have positive numbers.
 */
function counterOf({ hash }: PageSession): number {
  return -1 - hash.readUIntBE(0, 6);
}

/** Browsers report the origin: a stolen token is useless in another site's page. */
export function comesFromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}

/** The session of a route behind `admitPages`. */
export function pageOf(request: { readonly pageSession: PageSession | null }): PageSession {
  if (request.pageSession === null) throw new Error("This route does not admit pages");
  return request.pageSession;
}

/** The session, if it may access the channel of the path. Throws CHANNEL_NOT_FOUND. */
export function pageOfChannel(request: {
  readonly pageSession: PageSession | null;
  readonly params: { readonly id: string };
}): PageSession {
  const session = pageOf(request);
  if (!isUuid(request.params.id)) throw new AppError("CHANNEL_NOT_FOUND");
  refuseForeignChannel(session, request.params.id);
  return session;
}
