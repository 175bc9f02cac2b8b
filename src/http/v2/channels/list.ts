import { Type } from "typebox";
import { listChannels } from "../../../core/channel/channels.ts";
import type { Core } from "../../../core/core.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";
import { channelFields, channelShape } from "./channel-shape.ts";

/** `GET /v2/channels` */
export function listChannelsRoute(app: App, core: Core): void {
  app.get(
    "/v2/channels",
    {
      schema: {
        operationId: "listChannels",
        tags: ["channels"],
        summary: "List the channels of the account",
        response: { 200: envelope(Type.Array(channelShape)), ...errorAnswers },
      },
    },
    async (request) => enveloped(core, (await listChannels(core, scopeOf(request))).map(channelFields)),
  );
}
