import type { FastifyReply, FastifyRequest } from "fastify";
import { authenticatePartner } from "../../core/account/login.ts";
import { countRequest } from "../../core/account/rate-limit.ts";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import { setRateHeaders } from "./admission.ts";

const BASIC = /^basic +([\w+/-]{1,4096}={0,2})$/i;
/** Characters that neither an e-mail nor a password contains. */
const CONTROL = /\p{Cc}/u;

/** E-mail and password of an `Authorization` header; null unless it is one pair in UTF-8 (RFC 7617). */
export function basicCredentials(header: string | undefined): { email: string; password: string } | null {
  const encoded = header === undefined ? undefined : BASIC.exec(header.trim())?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 1 || CONTROL.test(text)) return null;
  return { email: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** For the routes of partners: runs before the body is read. */
export function createPartnerAdmission(core: Core) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const credentials = basicCredentials(request.headers.authorization);
    const partner =
      credentials === null ? null : await authenticatePartner(core, { ...credentials, address: request.ip });
    if (partner === null) {
      reply.header("www-authenticate", 'Basic realm="partner", charset="UTF-8"');
      throw new AppError("INVALID_APIKEY");
    }
    request.partner = partner;
    const count = await countRequest(core, partner.id);
    if (count.limit > 0) setRateHeaders(reply, count);
    if (!count.allowed) throw new AppError("TOO_MANY_REQUESTS", { retryAfter: count.retryAfter });
  };
}
