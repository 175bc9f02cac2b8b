import { Type } from "typebox";
import { getChannel } from "../../../core/channel/channel.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { listChannelNotices } from "../../../core/pacing/notices.ts";
import { changePacing } from "../../../core/pacing/settings.ts";
import { readPacing } from "../../../core/pacing/view.ts";
import type { Scope } from "../../../core/scope.ts";
import { definitionOf } from "../../../core/transport/registry.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";
import { channelPath } from "./channel-shape.ts";
import { pacingBody, pacingFields, pacingRequest, pacingShape } from "./pacing-shape.ts";

const NOTICES = 20;
const PATH = "/v2/channels/:id/pacing";
const answer = { 200: envelope(Type.Array(pacingShape)), ...errorAnswers };
const description = "An extension of the interface.";
const errors = ["CHANNEL_NOT_FOUND"] as const;

/** `GET` and `PATCH /v2/channels/{id}/pacing`, an extension of the interface. */
export function pacingRoutes(app: App, core: Core): void {
  app.get(
    PATH,
    {
      schema: {
        operationId: "getPacing",
        tags: ["channels"],
        summary: "Get a channel's rate limits, and what waits in its queue and why",
        description,
        params: channelPath,
        response: answer,
      },
      config: { errors: [...errors] },
    },
    async (request) => {
      const channelId = idFromPath(request.params.id, "CHANNEL_NOT_FOUND");
      return enveloped(core, [await shownPacing(core, scopeOf(request), channelId)]);
    },
  );
  app.patch(
    PATH,
    {
      schema: {
        operationId: "changePacing",
        tags: ["channels"],
        summary: "Change a channel's rate limits, or end a pause of first contacts",
        description: `${description} Omitted fields keep their values; a change takes effect within a second.`,
        params: channelPath,
        body: pacingBody,
        response: answer,
      },
      config: { errors: [...errors] },
    },
    async (request) => {
      const channelId = idFromPath(request.params.id, "CHANNEL_NOT_FOUND");
      const scope = scopeOf(request);
      await getChannel(core, scope, channelId);
      const { accountId } = scope;
      await core.db.tx((tx) => changePacing(tx, { accountId, channelId }, pacingRequest(request.body)));
      core.signals.notify("channels", channelId);
      return enveloped(core, [await shownPacing(core, scope, channelId)]);
    },
  );
}

async function shownPacing(core: Core, scope: Scope, channelId: string) {
  const { accountId, transport } = await getChannel(core, scope, channelId);
  const channel = { accountId, channelId };
  const { pacing } = definitionOf(core.transports, transport);
  const view = await readPacing(core.db, channel, pacing);
  if (view === null) throw new AppError("CHANNEL_NOT_FOUND");
  return pacingFields(channelId, view, await listChannelNotices(core.db, channel, NOTICES));
}
