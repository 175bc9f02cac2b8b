import type { FastifyRequest } from "fastify";
import { type Actor, actAs } from "../core/audit/actor.ts";
import type { App } from "./app.ts";

/** For the routes registered after it: their changes are recorded with the caller as actor. */
export function nameActors(app: App): void {
  app.addHook("preHandler", (request, _reply, done) => {
    if (request.method === "GET") done();
    else actAs(actorOf(request), done);
  });
}

function actorOf({ identity, partner, consoleSession, pageSession, ip: from }: FastifyRequest): Actor {
  if (consoleSession !== null) return { kind: "console", id: consoleSession.operator.login, from };
  if (partner !== null) return { kind: "partner", id: String(partner.id), from };
  if (identity === null) {
    const opening = pageSession?.opening;
    return { kind: "page", id: opening?.page === "chats" ? opening.userId : "", from };
  }
  const { application, tokenId } = identity;
  if (application === null) return { kind: "token", id: tokenId, from };
  return { kind: "application", id: application.clientId ?? `partner ${application.partnerId}`, from };
}
