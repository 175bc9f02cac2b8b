import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { departForProvider, returnFromProvider } from "../../../core/operator/provider-sign-in.ts";
import type { App } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { browserSecret, keepBrowserSecret } from "../browser-secret.ts";
import { setSessionCookie } from "./admission.ts";

const tags = ["console"];

/** Sign-in at an OpenID Connect provider; without a session. The page itself is the redirect address. */
export function providerRoutes(app: App, core: Core): void {
  app.get(
    "/app/api/console/sign-in",
    {
      schema: {
        operationId: "getSignInWays",
        tags,
        summary: "How people sign in to this console",
        response: {
          200: Type.Object({
            passwords: Type.Boolean({ description: "Whether passwords are accepted" }),
            provider: Type.Unsafe<string | null>({
              type: ["string", "null"],
              description: "Name of the OpenID Connect provider; null: there is none",
            }),
          }),
          ...errorAnswers,
        },
      },
    },
    async () => {
      const { passwords, provider } = core.settings.console;
      return { passwords, provider: provider?.name ?? null };
    },
  );
  app.post(
    "/app/api/console/provider/departures",
    {
      schema: {
        operationId: "departForProvider",
        tags,
        summary: "Begin a sign-in at the provider",
        response: {
          200: Type.Object({
            url: Type.String({
              description:
                "Where the browser goes. It comes back to the console with a query, for this browser alone, within half an hour",
            }),
          }),
          ...errorAnswers,
        },
      },
      config: { errors: ["NOT_FOUND", "FORBIDDEN"] },
    },
    async ({ headers }, reply) => {
      const browser = keepBrowserSecret(core, headers.cookie, reply);
      return { url: await departForProvider(core, browser) };
    },
  );
  app.post(
    "/app/api/console/provider/returns",
    {
      schema: {
        operationId: "returnFromProvider",
        tags,
        summary: "Finish a sign-in at the provider; the session is in a cookie",
        body: Type.Object({
          query: Type.String({
            minLength: 1,
            maxLength: 8_000,
            description: "The query with which the provider sent the browser back",
          }),
        }),
        response: { 200: Type.Object({}), ...errorAnswers },
      },
      config: { errors: ["NOT_FOUND", "FORBIDDEN", "INVALID_GRANT", "TOO_MANY_LOGINS"] },
    },
    async ({ body, ip, headers }, reply) => {
      const { token, seconds } = await returnFromProvider(core, {
        query: new URLSearchParams(body.query),
        browser: browserSecret(core, headers.cookie),
        address: ip,
        agent: headers["user-agent"] ?? "",
      });
      setSessionCookie(core, reply, token, seconds);
      return {};
    },
  );
}
