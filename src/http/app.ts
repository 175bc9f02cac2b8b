import type { IncomingMessage, ServerResponse } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from "fastify";
import type { TSchema } from "typebox";
import type { Identity } from "../core/account/authenticate.ts";
import type { Partner } from "../core/account/partners.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { Role } from "../core/operator/operators.ts";
import type { Scope } from "../core/scope.ts";
import type { BodyQueue } from "./limit/large-bodies.ts";
import type { BodyKind } from "./limit/limits.ts";

/** The server as routes see it: types of bodies and responses follow from their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse<IncomingMessage>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Since when a route is deprecated, and when it ends. */
export interface Deprecation {
  readonly since: Date;
  /** At least a year after `since`; absent: not decided. */
  readonly sunset?: Date;
  /** Page that says what to use instead. */
  readonly link: string;
}

declare module "fastify" {
  interface FastifyInstance {
    /** Runs work on a body of so many bytes. Shared by all routes, which share the thread. */
    readInTurn: BodyQueue;
  }
  interface FastifyRequest {
    /** The owner of the request's token; set before anything else on `/v2` and `/v3`. */
    identity: Identity | null;
    /** The partner of the request's password; only on `/v2/accounts` and `/v2/oauth`. */
    partner: Partner | null;
    /** The unparsed body; "" if there was none. */
    bodyText: string;
    /** For how long a refused call of a messenger blocked the node; only on `/in`. */
    blockedMs: number;
  }
  interface FastifyContextConfig {
    /** The body as the description has it, if that says more than the schema checks. */
    describedBody?: TSchema;
    /** The route still works, but clients should leave it. */
    deprecated?: Deprecation;
    /** Error codes in addition to those of every route, for the description of the interface. */
    errors?: readonly ErrorCode[];
    /** The limits of the body; default "usual". */
    body?: BodyKind;
    /** Fields whose empty texts and lists mean that they are absent. */
    emptyIsAbsent?: readonly string[];
    /** The route reads the body as a stream; it is not buffered. */
    isStreamed?: true;
    /** A DELETE that reads its body; all others ignore it. */
    readsBody?: true;
    /** Responses contain tokens or keys: those stored for an `Idempotency-Key` are encrypted. */
    secretAnswer?: true;
    /** The request waits for a messenger and not for the database, up to a minute: it takes no turn of other reads. */
    asksMessenger?: true;
    /** The roles allowed on the console. Default: all may read, operators and admins may change. */
    roles?: readonly Role[];
  }
}
/** The account that a route may access. Throws if the route is not behind an admission, which is a bug. */
export function scopeOf(request: { readonly identity: Identity | null }): Identity {
  if (request.identity === null) throw new Error("This route has no authentication");
  return request.identity;
}

/** The partner, on the routes of partners. */
export function partnerOf(request: { readonly partner: Partner | null }): Partner {
  if (request.partner === null) throw new Error("This route has no authentication of partners");
  return request.partner;
}

/** Whose idempotency key it is: the account's or the partner's, whose ids do not overlap. */
export function ownerOf(request: {
  readonly identity: Identity | null;
  readonly partner: Partner | null;
}): Scope {
  return request.partner === null ? scopeOf(request) : { accountId: request.partner.id };
}
