import { Type } from "typebox";
import { getChannel } from "../../../core/channel/channel.ts";
import { endRecording, recordedUntil, startRecording } from "../../../core/channel-log/recordings.ts";
import type { Core } from "../../../core/core.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { accountOf } from "./admission.ts";
import { channelPath, timeOrNull } from "./shapes.ts";

const tags = ["console"];
const config = { errors: ["ACCOUNT_NOT_FOUND", "CHANNEL_NOT_FOUND"] as const };
const PATH = "/app/api/console/accounts/:account/channels/:channel/recording";
const state = Type.Object({
  until: { ...nullableString, description: "End of the recording; null: only failed exchanges are logged" },
});

/**
 * Recordings of all exchanges with the messenger in a channel's log; without one, only failed exchanges are logged.
 */
export function recordingRoutes(app: App, core: Core): void {
  const schema = { tags, params: channelPath, response: { 200: state, ...errorAnswers } };
  app.get(
    PATH,
    {
      schema: {
        ...schema,
        operationId: "getRecording",
        summary: "Get the end of a channel's recording",
      },
      config,
    },
    async (request) => ({ until: timeOrNull(await recordedUntil(core.db, await keyOf(core, request))) }),
  );
  app.post(
    PATH,
    {
      schema: {
        ...schema,
        operationId: "startRecording",
        summary: "Record all exchanges of a channel for 15 minutes, without texts and secrets",
      },
      config,
    },
    async (request) => ({ until: timeOrNull(await startRecording(core, await keyOf(core, request))) }),
  );
  app.delete(
    PATH,
    {
      schema: {
        ...schema,
        operationId: "endRecording",
        summary: "End the recording of a channel",
      },
      config,
    },
    async (request) => {
      await endRecording(core, await keyOf(core, request));
      return { until: null };
    },
  );
}

type Asking = Parameters<typeof accountOf>[0] & {
  readonly params: { readonly account: string; readonly channel: string };
};

async function keyOf(core: Core, request: Asking) {
  const { account, channel } = request.params;
  const scope = accountOf(request, account);
  const channelId = idFromPath(channel, "CHANNEL_NOT_FOUND");
  await getChannel(core, scope, channelId);
  return { ...scope, channelId };
}
