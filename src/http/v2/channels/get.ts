import { Type } from "typebox";
import { getChannel } from "../../../core/channel/channel.ts";
import { historyView } from "../../../core/channel/history.ts";
import type { Core } from "../../../core/core.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import { channelFields, channelPath, channelShape, historyFields, historyShape } from "./channel-shape.ts";

const detailed = Type.Object(
  { ...channelShape.properties, history: Type.Optional(historyShape) },
  { title: "ChannelDetails" },
);

/** `GET /v2/channels/{id}` */
export function getChannelRoute(app: App, core: Core): void {
  app.get(
    "/v2/channels/:id",
    {
      schema: {
        operationId: "getChannel",
        tags: ["channels"],
        summary: "Get a channel with its status",
        params: channelPath,
        response: { 200: envelope(Type.Array(detailed)), ...errorAnswers },
      },
      config: { errors: ["CHANNEL_NOT_FOUND"] },
    },
    async (request) => {
      const channelId = idFromPath(request.params.id, "CHANNEL_NOT_FOUND");
      const channel = await getChannel(core, scopeOf(request), channelId);
      const history = await historyView(core.db, scopeOf(request), channelId);
      const more = history === null ? {} : { history: historyFields(history) };
      return enveloped(core, [{ ...channelFields(channel), ...more }]);
    },
  );
}
