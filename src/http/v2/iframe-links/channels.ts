import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { channelsLink } from "../../../core/page-ticket/tickets.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { pageLink } from "../../page-link.ts";
import { errorAnswers, patterned, strictObject } from "../../schema/shapes.ts";
import { pageTransportName, refuseUnknownTransport } from "../channels/transport-name.ts";
import { envelope, enveloped } from "../envelope.ts";

const pageAddress = (description: string) =>
  Type.String({ minLength: 1, maxLength: 2_000, description, examples: ["https://crm.example/connect"] });

const body = (core: Core) =>
  strictObject({
    options: Type.Optional(
      strictObject(
        {
          transport: Type.Optional(pageTransportName(core.transports)),
          channel_id: Type.Optional(patterned("uuid")),
          refresh_url: Type.Optional(
            pageAddress(
              "Where the person gets a new link if this one has expired or was used: an address of yours that requests one and redirects to it",
            ),
          ),
          return_url: Type.Optional(
            pageAddress("Where the person goes on after the channel was connected; not offered in a frame"),
          ),
        },
        {
          description:
            "The transport to connect, or the channel to reconnect; without either, the person chooses",
        },
      ),
    ),
  });

/** `POST /v2/iframe-links/channels` */
export function channelsLinkRoute(app: App, core: Core): void {
  app.post(
    "/v2/iframe-links/channels",
    {
      schema: {
        operationId: "linkToChannelsPage",
        tags: ["channels"],
        summary: "Create a one-time link to the page where a person connects or reconnects a channel",
        body: body(core),
        response: { 200: envelope(pageLink), ...errorAnswers },
      },
      config: {
        errors: ["CHANNEL_NOT_FOUND", "TRANSPORT_NOT_AVAILABLE"],
        secretAnswer: true,
      },
      preValidation: refuseUnknownTransport(core, ({ options }) => options?.transport),
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const { transport = null, channel_id: channelId, ...addresses } = request.body.options ?? {};
        const { refresh_url: refreshUrl, return_url: returnUrl } = addresses;
        const opening = {
          transport,
          channelId: channelId?.toLowerCase() ?? null,
          ...(refreshUrl === undefined ? {} : { refreshUrl }),
          ...(returnUrl === undefined ? {} : { returnUrl }),
        };
        return enveloped(core, { link: await channelsLink(core, scopeOf(request), opening) });
      }),
  );
}
