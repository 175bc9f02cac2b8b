import { Type } from "typebox";
import { requestPairingCode } from "../../../core/channel/link/login.ts";
import type { Core } from "../../../core/core.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, patterned, strictObject } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import { channelPath } from "./channel-shape.ts";
import { transportName } from "./transport-name.ts";

const body = (core: Core) =>
  strictObject({
    pairing_phone: Type.Optional(
      patterned("printable", {
        maxLength: 255,
        description: "Number to link, with its country code; optional once the channel has one",
      }),
    ),
    transport: transportName(core.transports),
  });

const answer = envelope(
  Type.Array(Type.Object({ pairing_code: Type.String(), pairing_phone: Type.String() })),
);

/** `POST /v2/channels/{id}/pairing-code` */
export function pairingCodeRoute(app: App, core: Core): void {
  app.post(
    "/v2/channels/:id/pairing-code",
    {
      schema: {
        operationId: "requestPairingCode",
        tags: ["channels"],
        summary: "Connect with a number and a code instead of a QR code",
        params: channelPath,
        body: body(core),
        response: { 200: answer, ...errorAnswers },
      },
      config: {
        errors: [
          "CHANNEL_NOT_FOUND",
          "MESSENGER_UNAVAILABLE",
          "PAIRING_CODE_NOT_SUPPORTED",
          "PAIRING_NOT_EXPECTED",
          "QR_EXPIRED",
          "WRONG_TRANSPORT",
        ],
      },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const channelId = idFromPath(request.params.id, "CHANNEL_NOT_FOUND");
        const { transport, pairing_phone: phone = null } = request.body;
        const pairing = await requestPairingCode(core, scopeOf(request), channelId, { transport, phone });
        return enveloped(core, [{ pairing_code: pairing.pairingCode, pairing_phone: pairing.pairingPhone }]);
      }),
  );
}
