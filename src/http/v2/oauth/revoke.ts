import { Type } from "typebox";
import { hashToken } from "../../../core/account/tokens.ts";
import type { Core } from "../../../core/core.ts";
import { revokeFamily } from "../../../core/oauth/revoke.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, partnerOf } from "../../app.ts";
import { errorAnswers, strictObject } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";
import { acceptForms } from "./form.ts";

/** `POST /v2/oauth/revoke`. An unknown token counts as revoked (RFC 7009, 2.2). */
export function revokeRoute(app: App, core: Core): void {
  app.register(async (own: App) => {
    // `token_type_hint` is ignored: tokens are found without it.
    acceptForms(own, { bodyOf: ({ token }) => ({ token }) });
    addRoute(own, core);
  });
}

function addRoute(app: App, core: Core): void {
  app.post(
    "/v2/oauth/revoke",
    {
      schema: {
        operationId: "revokeToken",
        tags: ["oauth"],
        summary: "Revoke a token of the partner, and all tokens of the same grant",
        body: strictObject({ token: Type.String({ minLength: 1, maxLength: 512 }) }),
        response: { 200: envelope(Type.Null()), ...errorAnswers },
      },
    },
    async (request, reply) => {
      const { token } = request.body;
      await core.moves.refuseMoved("token", hashToken(token).toString("hex"));
      return answerOnce(core, request, reply, async () => {
        await revokeFamily(core, token, partnerOf(request).id);
        return enveloped(core, null);
      });
    },
  );
}
