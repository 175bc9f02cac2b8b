import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import fastify from "fastify";
import { withoutCell } from "../core/cell.ts";
import type { Core } from "../core/core.ts";
import { AppError } from "../core/errors.ts";
import type { Log } from "../platform/log.ts";
import { nameActors } from "./actor.ts";
import { consoleRoutes } from "./app/console/routes.ts";
import type { Installation } from "./app/console/system.ts";
import type { PageSource } from "./app/page-files.ts";
import { pageRoutes } from "./app/pages.ts";
import { pageApiRoutes } from "./app/routes.ts";
import { type App, scopeOf } from "./app.ts";
import { closeGracefully } from "./closing.ts";
import { compressAnswers } from "./compression.ts";
import { counterRoutes } from "./counters/counters.ts";
import { announceDeprecations } from "./deprecation.ts";
import { passOnIfElsewhere } from "./elsewhere.ts";
import { createErrorHandler } from "./errors.ts";
import { fileRoutes } from "./files/file.ts";
import { callbackRoutes } from "./inbound/callback.ts";
import { limitAccountConcurrency } from "./limit/account-limits.ts";
import { createAdmission } from "./limit/admission.ts";
import { boundArrivingBodies } from "./limit/arriving.ts";
import { limitConnections } from "./limit/connections.ts";
import { createLargeBodyQueue } from "./limit/large-bodies.ts";
import { BODY_LIMITS } from "./limit/limits.ts";
import { createPartnerAdmission } from "./limit/partner-admission.ts";
import { PAGE_LIMITS, type PlaceLimits } from "./limit/places.ts";
import { agentRoute } from "./mcp/mcp.ts";
import { collectMethods } from "./methods.ts";
import { type HttpMetrics, observeRoutes } from "./metrics.ts";
import { collectRoutes } from "./openapi/routes.ts";
import { docsRoutes } from "./openapi/serve.ts";
import { opsRoutes, type Readiness } from "./ops/ops.ts";
import { startPageRoute } from "./pages/start-page.ts";
import { type RequestTraces, traceRequests } from "./request-traces.ts";
import { readJsonBodies } from "./schema/body.ts";
import { fieldsError } from "./schema/fields.ts";
import { answerMalformed, newRequestId } from "./schema/malformed.ts";
import { refuseNulInQueries } from "./schema/nul.ts";
import { compileSchemasAtFirstUse } from "./schema/schema-compilers.ts";
import { authorizeRoutes } from "./v2/oauth/authorize.ts";
import { metadataRoute } from "./v2/oauth/metadata.ts";
import { partnerRoutes } from "./v2/partner-routes.ts";
import { v2Routes } from "./v2/routes.ts";
import { v3Routes } from "./v3/routes.ts";

export interface HttpServerOptions {
  readonly core: Core;
  /** Whether this node can serve; called for each `GET /readyz`. */
  readonly readiness: () => Readiness;
  readonly log: Log;
  readonly metrics: HttpMetrics;
  /** Default: requests are not traced. */
  readonly traces?: RequestTraces | undefined;
  /** Networks of proxies whose forwarding headers are trusted. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** The built pages; without them their addresses say so. */
  readonly pages?: PageSource;
  /** What the console shows of the installation. */
  readonly installation?: Installation;
  /** The page of the sandbox's phone, to which the start page leads. */
  readonly phone?: string;
  /** Of streams, and of the connect page's waiting requests. Default: `PAGE_LIMITS`. */
  readonly pageLimits?: PlaceLimits;
  /** Heartbeat interval of a stream, default 5,000; a page has to read within three of them. */
  readonly streamBeatMs?: number;
  /** How long a client that downloads a file may take nothing, default 120,000. */
  readonly fileStallMs?: number;
}

/** Longer than the idle timeout of common load balancers, so that they close first. */
const KEEP_ALIVE_MS = 72_000;
/** For a whole request: enough for the largest file of the chat page over a slow line. Node allows 60 s for the headers. */
const REQUEST_TIMEOUT_MS = 600_000;

/** Headers of every response. Files and pages override some of them. */
const COMMON_HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/**
 * The whole HTTP interface. The caller listens. `close` lets pending requests finish, closes their connections, and
 * accepts no new ones.
 */
export function createHttpServer(options: HttpServerOptions): App {
  const { log, metrics } = options;
  const handleError = createErrorHandler(log);
  const app: App = fastify({
    logger: false,
    genReqId: newRequestId,
    rewriteUrl: ({ url = "/" }) => withoutCell(url),
    bodyLimit: BODY_LIMITS.usual.bytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    trustProxy: [...(options.trustedProxies ?? [])],
    clientErrorHandler: answerMalformed,
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...COMMON_HEADERS, "x-request-id": request.id });
      handleError(error, request as never, reply as never);
    },
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 2_000 },
    schemaErrorFormatter: fieldsError,
  }).withTypeProvider<TypeBoxTypeProvider>();

  compileSchemasAtFirstUse(app);
  app.decorate("readInTurn", createLargeBodyQueue());
  app.decorateRequest("identity", null);
  app.decorateRequest("partner", null);
  app.decorateRequest("pageSession", null);
  app.decorateRequest("consoleSession", null);
  app.setErrorHandler(async (error, request, reply) => {
    try {
      const passed = await passOnIfElsewhere(options.core, error, request, reply);
      return passed ?? handleError(error, request, reply);
    } catch (failure) {
      return handleError(failure, request, reply);
    }
  });
  addCommonHeaders(app);
  refuseUnknownRoutes(app);
  closeGracefully(app);
  limitConnections(app);
  compressAnswers(app);
  boundArrivingBodies(app);
  announceDeprecations(app);
  refuseNulInQueries(app);
  observeRoutes(app, metrics, log);
  if (options.traces !== undefined) traceRequests(app, options.traces);
  const addMissingMethods = collectMethods(app);
  const routes = collectRoutes(app);
  registerInterface(app, options.core);
  registerRest(app, options, routes);
  app.register(async (last: App) => addMissingMethods(last));
  return app;
}

/** The public interface: each version with its tokens and kinds of bodies. */
function registerInterface(app: App, core: Core): void {
  app.register(async (v2: App) => {
    v2.addHook("onRequest", createAdmission(core, ["access", "agent"]));
    readJsonBodies(v2);
    nameActors(v2);
    limitAccountConcurrency(v2, scopeOf);
    v2Routes(v2, core);
  });
  app.register(async (partners: App) => {
    partners.addHook("onRequest", createPartnerAdmission(core));
    readJsonBodies(partners);
    nameActors(partners);
    partnerRoutes(partners, core);
  });
  app.register(async (v3: App) => {
    v3.addHook("onRequest", createAdmission(core, ["api", "sidecar"]));
    readJsonBodies(v3, ["text/plain"]);
    nameActors(v3);
    limitAccountConcurrency(v3, scopeOf);
    v3Routes(v3, core);
  });
  app.register(async (agents: App) => {
    agents.addHook("onRequest", createAdmission(core, ["access", "agent"]));
    readJsonBodies(agents);
    agentRoute(agents);
  });
}

/** Callbacks of messengers, pages, files, operation and documentation. */
function registerRest(app: App, options: HttpServerOptions, routes: ReturnType<typeof collectRoutes>): void {
  const { core, metrics, installation = { version: "", settings: [] } } = options;
  const waiting = { metrics, limits: options.pageLimits ?? PAGE_LIMITS, beatMs: options.streamBeatMs };
  app.register(async (inbound: App) => callbackRoutes(inbound, core));
  app.register(async (console: App) => consoleRoutes(console, core, installation));
  app.register(async (pages: App) => pageApiRoutes(pages, core, waiting));
  app.register(async (consent: App) => authorizeRoutes(consent, core));
  counterRoutes(app, core, metrics);
  metadataRoute(app, core);
  app.register(async (rest: App) => {
    fileRoutes(rest, core, metrics, options.fileStallMs);
    pageRoutes(rest, core, options.pages ?? null);
    opsRoutes(rest, options.readiness, metrics.registry);
    docsRoutes(rest, routes);
    startPageRoute(rest, options.phone);
  });
}

function addCommonHeaders(app: App): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(COMMON_HEADERS).header("x-request-id", request.id);
    done();
  });
}

/** Before the body is read: a request to an unknown route is not validated. */
function refuseUnknownRoutes(app: App): void {
  app.addHook("onRequest", (request, _reply, done) =>
    request.is404 ? done(new AppError("NOT_FOUND")) : done(),
  );
  app.setNotFoundHandler(() => {
    throw new AppError("NOT_FOUND");
  });
}
