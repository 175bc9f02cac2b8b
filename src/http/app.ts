import type { IncomingMessage, ServerResponse } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from "fastify";
import type { Identity } from "../core/account/authenticate.ts";
import type { Partner } from "../core/account/partners.ts";
import type { Scope } from "../core/core.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { Role } from "../core/operator/operators.ts";
import type { BodyKind } from "./body-limits.ts";

/** The server as routes see it: types of bodies and answers follow from their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse<IncomingMessage>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module "fastify" {
  interface FastifyRequest {
    /** Whose token came with the request; set before anything else happens on `/v2` and `/v3`. */
    identity: Identity | null;
    /** The partner whose password came with the request; on `/v2/accounts` and `/v2/oauth` only. */
    partner: Partner | null;
    /** The body as it came; "" when there was none. */
    bodyText: string;
  }
  interface FastifyContextConfig {
    /** Codes of errors, beside those of every route, for the description of the interface. */
    errors?: readonly ErrorCode[];
    /** How much a body may hold; "usual" unless it says otherwise. */
    body?: BodyKind;
    /** Fields whose empty texts and lists mean that they are absent. */
    emptyIsAbsent?: readonly string[];
    /** The route reads the body as a stream, piece by piece: nothing of it is held. */
    isStreamed?: true;
    /** A DELETE whose body counts; of every other one it is ignored. */
    readsBody?: true;
    /** Answers hold tokens or keys: one that is kept for an `Idempotency-Key` is sealed. */
    secretAnswer?: true;
    /** Who may ask on the console; everybody may read, operators and admins may change, unless it says otherwise. */
    roles?: readonly Role[];
  }
}
/** The account that a route may touch. A route that asks without having admitted anybody is a fault of ours. */
export function scopeOf(request: { readonly identity: Identity | null }): Identity {
  if (request.identity === null) throw new Error("This route has no authentication");
  return request.identity;
}

/** The partner, where `scopeOf` would tell the account. */
export function partnerOf(request: { readonly partner: Partner | null }): Partner {
  if (request.partner === null) throw new Error("This route has no authentication of partners");
  return request.partner;
}

/** Whose keys a repetition is known by: the account's, or the partner's, whose ids never meet. */
export function ownerOf(request: {
  readonly identity: Identity | null;
  readonly partner: Partner | null;
}): Scope {
  return request.partner === null ? scopeOf(request) : { accountId: request.partner.id };
}
