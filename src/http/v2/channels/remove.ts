import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { removeChannel } from "../../../core/message/remove-channel.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import { channelPath } from "./channel-shape.ts";

/** The spellings of `true` in a query by PHP and Python. */
const TRUE = /^(true|1)$/i;

const query = Type.Object({
  delete_chats: Type.Optional(
    Type.String({ description: "`true`: the chats are deleted too; default: they are kept" }),
  ),
});

/** `DELETE /v2/channels/{id}` */
export function removeChannelRoute(app: App, core: Core): void {
  app.delete(
    "/v2/channels/:id",
    {
      schema: {
        operationId: "removeChannel",
        tags: ["channels"],
        summary: "Disconnect and delete a channel",
        params: channelPath,
        querystring: query,
        response: { 200: envelope(Type.Null()), ...errorAnswers },
      },
      config: { errors: ["CHANNEL_NOT_FOUND"] },
    },
    async (request) => {
      const channelId = idFromPath(request.params.id, "CHANNEL_NOT_FOUND");
      const deleteChats = TRUE.test(request.query.delete_chats ?? "");
      await removeChannel(core, scopeOf(request), channelId, { deleteChats });
      return enveloped(core, null);
    },
  );
}
