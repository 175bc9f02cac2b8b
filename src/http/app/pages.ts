import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { isFrameOrigin } from "../../core/account/frame-origins.ts";
import { cellUrl } from "../../core/cell.ts";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import { frameOrigins, type PageProof } from "../../core/page-ticket/sessions.ts";
import { departForMessenger } from "../../core/sign-in/sign-in.ts";
import { cellOfState } from "../../core/sign-in/sign-in-proofs.ts";
import { commandLine } from "../../platform/command-line.ts";
import { html } from "../../platform/foreign/html.ts";
import type { App } from "../app.ts";
import { page, pageHeaders } from "../pages/page.ts";
import { sendPrebuilt } from "../prebuilt.ts";
import { keepBrowserSecret } from "./browser-secret.ts";
import { createPageFiles, type PageSource } from "./page-files.ts";
import { refuseMovedProof } from "./session.ts";

const HIDDEN = { hide: true } as object;
const ABSENT = page(
  "This page is not part of this version",
  html`<p>The service works, but this installation does not have this page. Your link remains valid.</p>`,
);
const UNBUILT = page(
  "The pages are not built",
  html`<p>This checkout has no built pages: install its development dependencies (<code>npm ci</code>) and start it again, or run <code>npm run pages</code>.</p>`,
);
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};
/** The name of a host may contain "$(…)" and ";". */
const SAFE_IN_SHELL = /^[\w:/.-]+$/;
/** File names contain a hash of the content. */
const FOR_EVER = "public, max-age=31536000, immutable";

/**
 * The pages: `/app/channels` connects a channel, `/app/chats` shows chats, `/app/console` is for operators.
 * `/connect/{transport}/{ticket}`, a channel's own link, and `/connect/{transport}`, the redirect address for
 * messengers, lead there.
 */
export function pageRoutes(app: App, core: Core, source: PageSource | null): void {
  const fileOf = createPageFiles(source);
  app.get<{ Params: { name: string } }>("/app/assets/:name", { schema: HIDDEN }, async (request, reply) => {
    const file = await fileOf(`assets/${request.params.name}`);
    if (file === undefined) throw new AppError("NOT_FOUND");
    reply.headers({ "cache-control": FOR_EVER, "cross-origin-resource-policy": "same-origin" });
    return sendPrebuilt(request, reply, file);
  });
  for (const [url, name] of [
    ["/app/channels", "connect.html"],
    ["/app/chats", "chat.html"],
  ] as const)
    app.get(url, { schema: HIDDEN }, async (request, reply) => {
      const file = await fileOf(name);
      if (file === undefined) return refuse(reply, 503, UNBUILT);
      const origins = await framesOf(core, queryOf(request.url));
      const embedder = embedderOf(request.headers);
      if (embedder !== null && !origins.includes("*") && !origins.includes(embedder))
        return refuse(reply, 403, refusalOf(embedder, queryOf(request.url)));
      reply.headers(headersFor(origins, { microphone: name === "chat.html" }));
      return sendPrebuilt(request, reply, file);
    });
  app.get("/app/console", { schema: HIDDEN }, async (request, reply) => {
    const file = await fileOf("console.html");
    if (file === undefined) return refuse(reply, 503, UNBUILT);
    // It may not be embedded, and is isolated from a window that opened it.
    reply.headers({ ...headersFor([]), ...ISOLATED });
    return sendPrebuilt(request, reply, file);
  });
  for (const url of ["/app", "/app/*"])
    app.get(url, { schema: HIDDEN }, (_request, reply) => refuse(reply, 501, ABSENT));
  redirectRoutes(app, core);
  startRoute(app, core);
}

/**
 * The origin that has loaded our page into a frame, if the browser reports both. It is not certain that this origin's
 * page shows the frame: a page inside the frame may have led here.
 */
function embedderOf({ "sec-fetch-dest": target, referer }: IncomingHttpHeaders): string | null {
  if (target !== "iframe" || referer === undefined || !URL.canParse(referer)) return null;
  return new URL(referer).origin;
}

/**
 * Instead of the browser's blank frame. It shows nothing of the account, so that any page may frame it. Its link loads
 * the page without the name of an origin, so that the browser decides, which knows all pages around the frame.
 */
function refusalOf(origin: string, query: URLSearchParams): string {
  const command = html` The operator of the service can allow it: <code>${commandLine("account frames")} --account ID --origins ${origin}</code>`;
  return page(
    "This site may not show the page",
    html`<p>Its link is not valid any more, or the account does not let <code>${origin}</code> show it in a frame.${SAFE_IN_SHELL.test(origin) ? command : html``}</p><p><a href="?${String(query)}" rel="noreferrer">Load it all the same</a>, if another site shows this frame and may do so.</p>`,
  );
}

function refuse(reply: FastifyReply, status: number, content: string): FastifyReply {
  return reply
    .code(status)
    .headers(pageHeaders({ frames: "*" }))
    .send(content);
}

/**
 * Only our own scripts and styles, none inline; `origins` may embed the page. The page calls only the service, and
 * may be embedded by cross-origin isolated pages. Windows that it opens cannot access it. `microphone`: the page itself
 * may ask for it, if it is in a frame only with `allow="microphone"`.
 */
function headersFor(
  origins: readonly string[],
  { microphone = false }: { readonly microphone?: boolean } = {},
): Record<string, string> {
  // Of earlier releases some may not be safe in a header.
  const safe = origins.filter((origin) => origin === "*" || isFrameOrigin(origin));
  const frames = safe.length === 0 ? "'none'" : safe.join(" ");
  return {
    "cache-control": "no-store",
    "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors ${frames}`,
    ...(safe.length === 0 ? { "x-frame-options": "DENY" } : {}),
    "cross-origin-opener-policy": "same-origin-allow-popups",
    "cross-origin-resource-policy": "cross-origin",
    "permissions-policy": `camera=(), geolocation=(), microphone=(${microphone ? "self" : ""}), payment=(), usb=()`,
    "referrer-policy": "no-referrer",
  };
}

/** A window redirected back from a messenger may not be embedded; neither may a page with an unknown ticket. */
async function framesOf(core: Core, query: URLSearchParams): Promise<readonly string[]> {
  const [ticket, transport] = [query.get("ticket"), query.get("transport")];
  if (ticket === null) return [];
  const proof: PageProof = transport === null ? { ticket } : { ticket, transport };
  const origins = await frameOrigins(core, proof);
  if (origins.length === 0) await refuseMovedProof(core, proof);
  return origins;
}

/** Relative, because `PUBLIC_URL` may have a path that a proxy removes. */
function redirectRoutes(app: App, { settings }: Core): void {
  app.get<{ Params: { transport: string; ticket: string } }>(
    "/connect/:transport/:ticket",
    { schema: HIDDEN },
    ({ params: { transport, ticket } }, reply) =>
      reply.redirect(`../../app/channels?${new URLSearchParams({ transport, ticket })}`, 303),
  );
  app.get<{ Params: { transport: string } }>("/connect/:transport", { schema: HIDDEN }, (request, reply) => {
    const query = queryOf(request.url);
    const { transport } = request.params;
    const state = query.get("state") ?? "";
    const page = `app/channels?${new URLSearchParams({ transport, state, back: String(query) })}`;
    // The messenger's redirect comes to any cell.
    const cell = cellOfState(state);
    const own = cell === null ? ".." : new URL(cellUrl(settings.installationUrl, cell)).pathname;
    return reply.redirect(`${own}/${page}`, 303);
  });
}

/**
 * `/connect/{transport}/{start}/start`: leads a browser to the messenger to sign in. One that was sent here by our page
 * goes there at once; any other first sees which account it would connect to, because the link may be anyone's.
 */
function startRoute(app: App, core: Core): void {
  app.get<{ Params: { transport: string; start: string } }>(
    "/connect/:transport/:start/start",
    { schema: HIDDEN },
    async ({ params: { transport, start }, headers }, reply) => {
      const page = `../../../app/channels?${new URLSearchParams({ transport, start })}`;
      if (headers["sec-fetch-site"] !== "same-origin") return reply.redirect(page, 303);
      const browser = keepBrowserSecret(core, headers.cookie, reply);
      try {
        return reply.redirect(await departForMessenger(core, transport, { start, browser }), 303);
      } catch (error) {
        // The page shows that the address is no longer valid.
        if (error instanceof AppError) return reply.redirect(page, 303);
        throw error;
      }
    },
  );
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start));
}
