import { OAUTH_SCOPES } from "../../../core/account/oauth-scope.ts";
import type { Core } from "../../../core/core.ts";
import type { App } from "../../app.ts";
import { JSON_TYPE } from "../../errors.ts";
import { GRANT_TYPES } from "./token.ts";

/** `GET /.well-known/oauth-authorization-server`: where the OAuth routes are, and what they support (RFC 8414). */
export function metadataRoute(app: App, { settings }: Core): void {
  const schema = { hide: true } as object;
  app.get("/.well-known/oauth-authorization-server", { schema }, async (_request, reply) => {
    const issuer = settings.installationUrl;
    reply.headers({
      "content-type": JSON_TYPE,
      "access-control-allow-origin": "*",
      "cache-control": "no-cache",
    });
    return {
      issuer,
      authorization_endpoint: `${issuer}/v2/oauth/authorize`,
      token_endpoint: `${issuer}/v2/oauth/token`,
      revocation_endpoint: `${issuer}/v2/oauth/revoke`,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: GRANT_TYPES,
      scopes_supported: OAUTH_SCOPES,
      // By the e-mail and the password of the partner.
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
      revocation_endpoint_auth_methods_supported: ["client_secret_basic"],
      code_challenge_methods_supported: ["S256"],
      service_documentation: `${issuer}/docs`,
    };
  });
}
