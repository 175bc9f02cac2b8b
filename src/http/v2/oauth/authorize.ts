import type { FastifyReply, FastifyRequest } from "fastify";
import { accountName } from "../../../core/account/accounts.ts";
import { authenticate, type Identity } from "../../../core/account/authenticate.ts";
import { cellOfToken, hashToken, isTokenAlive } from "../../../core/account/tokens.ts";
import { actAs } from "../../../core/audit/actor.ts";
import { cellOfPath, cellUrl } from "../../../core/cell.ts";
import type { Core } from "../../../core/core.ts";
import { issueCode } from "../../../core/oauth/code.ts";
import { withAnswer } from "../../../core/oauth/redirect-uri.ts";
import type { App } from "../../app.ts";
import { AUTHORIZE_PATH } from "../../openapi/authorize-page.ts";
import { pageHeaders } from "../../pages/page.ts";
import { type AuthorizeRequest, readAuthorizeRequest } from "./authorize-request.ts";
import { consentPage, problemPage, signInPage } from "./consent-page.ts";
import {
  type ConsentSession,
  formToken,
  isFormToken,
  newSession,
  readSession,
  sessionCookie,
} from "./consent-session.ts";

const MAX_FORM_BYTES = 16 * 1024;

/** The data of one step of the dialog. */
interface Visit {
  readonly core: Core;
  readonly request: AuthorizeRequest;
  readonly session: ConsentSession;
  readonly reply: FastifyReply;
  /** The page's own address with the application's request. */
  readonly url: string;
}

/** `GET` and `POST /v2/oauth/authorize`: a person authorises an application for their account. */
export function authorizeRoutes(app: App, core: Core): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: MAX_FORM_BYTES },
    (request, text, done) => {
      // As it came, for another cell.
      request.bodyText = text as string;
      done(null, new URLSearchParams(text as string));
    },
  );
  const schema = { hide: true } as object;
  app.get(AUTHORIZE_PATH, { schema }, (request, reply) =>
    visit(core, request, reply, async (visit) => showPage(visit, null)),
  );
  app.post(AUTHORIZE_PATH, { schema }, (request, reply) =>
    visit(core, request, reply, async (visit) => {
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      const own = isOwnForm(core, request, visit.session, form);
      return own ? act(visit, form) : showPage(restarted(visit), STALE);
    }),
  );
}

const STALE = "The form has expired, or is not from this page. Please try again.";
const UNKNOWN_KEY = "This key is unknown. It may be mistyped or revoked.";
const ENDED = "The key you signed in with is no longer valid. Please sign in again.";

async function visit(
  core: Core,
  request: FastifyRequest,
  reply: FastifyReply,
  step: (visit: Visit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const url = request.url.slice(request.url.indexOf("?"));
  const reading = await readAuthorizeRequest(core, new URLSearchParams(url.startsWith("?") ? url : ""));
  if (reading.kind === "problem") {
    reply.code(400).headers(pageHeaders({ frames: "'none'" }));
    return reply.send(problemPage(reading.problem));
  }
  if (reading.kind === "refusal") return sendBack(reply, reading.redirectUri, reading.answer);
  const session = readSession(core, request.headers.cookie) ?? newSession(core, null);
  return step({ core, request: reading.request, session, reply, url });
}

/** Sent by this session's form, and not by another site's page (if the browser reports it). */
function isOwnForm(
  core: Core,
  { headers }: FastifyRequest,
  session: ConsentSession,
  form: URLSearchParams,
): boolean {
  const site = headers["sec-fetch-site"];
  return (
    (site === undefined || site === "same-origin") && isFormToken(core, session, form.get("form_token") ?? "")
  );
}

function restarted(visit: Visit): Visit {
  return { ...visit, session: newSession(visit.core, null) };
}

async function act(visit: Visit, form: URLSearchParams): Promise<FastifyReply> {
  const { core, request, session } = visit;
  switch (form.get("action")) {
    case "sign-in":
      return signIn(visit, (form.get("key") ?? "").trim());
    case "sign-out":
      return again(visit, null);
    case "allow":
      if (session.account === null || !(await isTokenAlive(core.db, session.account.tokenId)))
        return showPage(restarted(visit), ENDED);
      return allow(visit, session.account);
    case "deny":
      return finish(visit, {
        error: "access_denied",
        error_description: "The person denied access",
        state: request.state,
      });
    default:
      return showPage(visit, null);
  }
}

async function signIn(visit: Visit, key: string): Promise<FastifyReply> {
  const identity = key === "" ? null : await authenticate(visit.core, key);
  if (identity === null) {
    await visit.core.moves.refuseMoved("token", hashToken(key).toString("hex"));
    return (await toCellOf(visit, key)) ?? showPage(visit, UNKNOWN_KEY);
  }
  if (!mayConsent(identity)) return showPage(visit, UNKNOWN_KEY);
  return again(visit, { id: identity.accountId, tokenId: identity.tokenId });
}

/**
 * Sends the browser with its form to the cell that issued the key: an application sends people to any cell. Null: the key
 * names no other cell, or this is that one's address already.
 */
async function toCellOf({ core, url, reply }: Visit, key: string): Promise<FastifyReply | null> {
  const cell = cellOfToken(key);
  const { cell: own, installationUrl } = core.settings;
  if (cell === null || cell === own) return null;
  const path = new URL(cellUrl(installationUrl, cell)).pathname + AUTHORIZE_PATH;
  if (cellOfPath(reply.request.originalUrl) === cell) return null;
  return reply
    .code(307)
    .header("location", path + url)
    .send();
}

/** Only the owner's keys can consent; applications, agents and sidecars have fewer permissions. */
function mayConsent({ kind, scope }: Identity): boolean {
  return scope === null && (kind === "access" || kind === "api");
}

/** Sets a new session and redirects to the page by GET, so that reloading does not submit twice. */
function again({ core, reply, url }: Visit, account: ConsentSession["account"]): FastifyReply {
  const cookie = sessionCookie(core, newSession(core, account));
  return reply
    .code(303)
    .headers({ "set-cookie": cookie, location: pathOf(core) + url })
    .send();
}

/** Behind a proxy, our path may have a prefix. */
function pathOf({ settings }: Core): string {
  return new URL(settings.publicUrl).pathname.replace(/\/$/, "") + AUTHORIZE_PATH;
}

async function allow(
  visit: Visit,
  { id: accountId, tokenId }: NonNullable<ConsentSession["account"]>,
): Promise<FastifyReply> {
  const { client, redirectUri, scope, challenge, state } = visit.request;
  const facts = { accountId, clientId: client.id, redirectUri, scope, challenge };
  const actor = { kind: "token", id: tokenId, from: visit.reply.request.ip } as const;
  const code = await actAs(actor, () => issueCode(visit.core, facts));
  return finish(visit, { code, state });
}

function finish({ core, request, reply }: Visit, answer: Readonly<Record<string, string>>): FastifyReply {
  reply.header("set-cookie", sessionCookie(core, null));
  return sendBack(reply, request.redirectUri, answer);
}

function sendBack(
  reply: FastifyReply,
  redirectUri: string,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  return reply.code(303).header("location", withAnswer(redirectUri, answer)).send();
}

async function showPage(visit: Visit, problem: string | null): Promise<FastifyReply> {
  const { core, request, session, reply } = visit;
  // Some browsers apply a form's policy to redirects of its response too.
  const formTargets = [new URL(request.redirectUri).origin];
  reply.code(problem === null ? 200 : 400).headers(pageHeaders({ frames: "'none'", formTargets }));
  reply.header("set-cookie", sessionCookie(core, session));
  const token = formToken(core, session);
  if (session.account === null) return reply.send(signInPage(request, { token, problem }));
  const { id: accountId } = session.account;
  return reply.send(
    consentPage(request, { token, accountId, accountName: await accountName(core.db, accountId) }),
  );
}
