import { Type } from "typebox";
import { getChannel } from "../../../core/channel/channel.ts";
import type { Core } from "../../../core/core.ts";
import { removeDeadLetters, replayDeadLetters } from "../../../core/dead-letter/actions.ts";
import { DEAD_LETTER_STAGES, type DeadLetterStage } from "../../../core/dead-letter/dead-letters.ts";
import { listDeadLetters } from "../../../core/dead-letter/list.ts";
import type { App } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { accountOf } from "./admission.ts";
import { channelPath, time } from "./shapes.ts";

const tags = ["console"];
const config = { errors: ["ACCOUNT_NOT_FOUND", "CHANNEL_NOT_FOUND"] as const };
const PATH = "/app/api/console/accounts/:account/channels/:channel/refused";
const LIMIT = 100;

const report = Type.Object({
  id: Type.Integer(),
  stage: Type.Unsafe<DeadLetterStage>({
    type: "string",
    enum: [...DEAD_LETTER_STAGES],
    description:
      "payload: it could not be parsed; event: it could not be stored; unknown: a sample of something that this service does not know",
  }),
  reason: Type.String({ description: "unknown: its kind" }),
  bytes: Type.Integer(),
  times: Type.Integer({ description: "How often it failed, or was reported" }),
  firstAt: Type.String(),
  lastAt: Type.String(),
  waits: Type.Boolean({ description: "It will be processed again" }),
});

/** Dead letters of a channel, and the actions on them. */
export function refusedRoutes(app: App, core: Core): void {
  app.get(
    PATH,
    {
      schema: {
        operationId: "listRefusedReports",
        tags,
        summary:
          "The last hundred reports of the messenger that could not be parsed or stored, without their content",
        params: channelPath,
        response: { 200: Type.Array(report), ...errorAnswers },
      },
      config,
    },
    async (request) => {
      const letters = await listDeadLetters(core.db, await keyOf(core, request), LIMIT);
      return letters.map(({ id, stage, reason, bytes, times, firstAt, lastAt, isToReplay: waits }) => ({
        ...{ id, stage, reason, bytes, times, waits },
        firstAt: time(firstAt),
        lastAt: time(lastAt),
      }));
    },
  );
  const actions = [
    ["replay", "replayRefusedReports", "Process all of them again; those that succeed are removed", replay],
    ["remove", "removeRefusedReports", "Delete all of them", remove],
  ] as const;
  for (const [path, operationId, summary, work] of actions)
    app.post(
      `${PATH}/${path}`,
      {
        schema: {
          operationId,
          tags,
          summary,
          params: channelPath,
          response: { 200: Type.Object({ reports: Type.Integer() }), ...errorAnswers },
        },
        config,
      },
      async (request) => ({ reports: await work(core, await keyOf(core, request)) }),
    );
}

async function replay(core: Core, channel: ChannelKey): Promise<number> {
  const { length } = await replayDeadLetters(core.db, channel);
  if (length > 0) core.signals.notify("deadLetters");
  return length;
}

function remove(core: Core, channel: ChannelKey): Promise<number> {
  return removeDeadLetters(core.db, channel);
}

interface ChannelKey {
  readonly accountId: number;
  readonly channelId: string;
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
