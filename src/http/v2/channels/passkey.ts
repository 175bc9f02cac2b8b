import { Type } from "typebox";
import { getLinkView } from "../../../core/channel/link/link-view.ts";
import { submitPasskey } from "../../../core/channel/link/login.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { passkeyAnswer, passkeyFields, passkeyShape } from "../../schema/passkey.ts";
import { errorAnswers, strictObject } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import { channelPath } from "./channel-shape.ts";
import { transportName } from "./transport-name.ts";

const PATH = "/v2/channels/:id/auth/passkey";

/** `GET` and `POST /v2/channels/{id}/auth/passkey` */
export function passkeyRoutes(app: App, core: Core): void {
  requestRoute(app, core);
  answerRoute(app, core);
}

function requestRoute(app: App, core: Core): void {
  app.get(
    PATH,
    {
      schema: {
        operationId: "getPasskeyRequest",
        tags: ["channels"],
        summary: "Get the request for the passkey, or the code to compare, that a channel waits for",
        description:
          "Pass `request` to `navigator.credentials.get` in a page of `site`. PASSKEY_NOT_EXPECTED contains in `data.problem` why the last linking with a passkey failed: expired, refused, silent, interrupted, or null.",
        params: channelPath,
        response: { 200: envelope(passkeyShape), ...errorAnswers },
      },
      config: { errors: ["CHANNEL_NOT_FOUND", "PASSKEY_NOT_EXPECTED"] },
    },
    async (request) => {
      const channelId = idFromPath(request.params.id, "CHANNEL_NOT_FOUND");
      const view = await getLinkView(core, scopeOf(request), channelId);
      if (view.passkey === null && view.compareCode === null)
        throw new AppError("PASSKEY_NOT_EXPECTED", { data: { problem: view.passkeyProblem } });
      return enveloped(core, passkeyFields(view));
    },
  );
}

function answerRoute(app: App, core: Core): void {
  app.post(
    PATH,
    {
      schema: {
        operationId: "submitPasskeyAnswer",
        tags: ["channels"],
        summary: "Submit the answer of the account's passkey",
        description:
          "PASSKEY_REFUSED contains the reason in `data.reason`: malformed, other_request, wrong_site, not_verified or unknown_passkey, after which another answer may follow; or refused, after which the linking starts over with a new QR code. If the channel is `init` / `wait_for_code` afterwards, a person compares the code of `GET` with the phone's, and `POST …/auth/2fa` with it confirms that both are the same.",
        params: channelPath,
        body: strictObject({ passkey_response: passkeyAnswer, transport: transportName(core.transports) }),
        response: { 200: envelope(Type.Null()), ...errorAnswers },
      },
      config: {
        errors: [
          "CHANNEL_NOT_FOUND",
          "MESSENGER_UNAVAILABLE",
          "PASSKEY_NOT_EXPECTED",
          "PASSKEY_REFUSED",
          "WRONG_TRANSPORT",
        ],
      },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const channelId = idFromPath(request.params.id, "CHANNEL_NOT_FOUND");
        const { transport, passkey_response: answer } = request.body;
        await submitPasskey(core, scopeOf(request), channelId, { transport, answer });
        return enveloped(core, null);
      }),
  );
}
