import { Type } from "typebox";
import { submitSecret } from "../../../core/channel/link/login.ts";
import type { Core } from "../../../core/core.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, strictObject } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import { channelPath } from "./channel-shape.ts";
import { transportName } from "./transport-name.ts";

const body = (core: Core) =>
  strictObject({
    two_factor_code: Type.String({ minLength: 1, maxLength: 1_000 }),
    transport: transportName(core.transports),
  });

/** `POST /v2/channels/{id}/auth/2fa` */
export function twoFactorRoute(app: App, core: Core): void {
  app.post(
    "/v2/channels/:id/auth/2fa",
    {
      schema: {
        operationId: "submitTwoFactorPassword",
        tags: ["channels"],
        summary: "Submit the two-factor password, or the messenger's code, that a channel waits for",
        params: channelPath,
        body: body(core),
        response: { 200: envelope(Type.Null()), ...errorAnswers },
      },
      config: {
        errors: [
          "CHANNEL_NOT_FOUND",
          "MESSENGER_UNAVAILABLE",
          "PASSWORD_NOT_EXPECTED",
          "WRONG_PASSWORD",
          "WRONG_TRANSPORT",
        ],
      },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const channelId = idFromPath(request.params.id, "CHANNEL_NOT_FOUND");
        const { transport, two_factor_code: secret } = request.body;
        await submitSecret(core, scopeOf(request), channelId, { transport, secret });
        return enveloped(core, null);
      }),
  );
}
