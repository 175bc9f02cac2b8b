import { Type } from "typebox";
import { getChannel } from "../../../core/channel/channel.ts";
import { reconnectChannel } from "../../../core/channel/channels.ts";
import type { Core } from "../../../core/core.ts";
import { cancelWaiting } from "../../../core/message/clear.ts";
import { listWaiting } from "../../../core/message/waiting.ts";
import { goOnSending, stopSending } from "../../../core/pacing/stop.ts";
import { issuerWithoutToken } from "../../../core/page-ticket/issuer.ts";
import { channelsLink } from "../../../core/page-ticket/tickets.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString, uuidText } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { accountOf } from "./admission.ts";
import { channelPath, time } from "./shapes.ts";

const tags = ["console"];
const config = { errors: ["ACCOUNT_NOT_FOUND", "CHANNEL_NOT_FOUND"] as const };
const PATH = "/app/api/console/accounts/:account/channels/:channel";
const LIMIT = 100;

/** The queue of a channel, and the actions on it. */
export function queueRoutes(app: App, core: Core): void {
  listRoute(app, core);
  clearRoute(app, core);
  sendingRoutes(app, core);
  linkRoute(app, core);
  reconnectRoute(app, core);
}

interface Params {
  readonly account: string;
  readonly channel: string;
}

async function keyOf(core: Core, request: Parameters<typeof accountOf>[0] & { readonly params: Params }) {
  const scope = accountOf(request, request.params.account);
  const channelId = idFromPath(request.params.channel, "CHANNEL_NOT_FOUND");
  await getChannel(core, scope, channelId);
  return { ...scope, channelId };
}

function listRoute(app: App, core: Core): void {
  app.get(
    `${PATH}/queue`,
    {
      schema: {
        operationId: "listQueue",
        tags,
        summary: "The first hundred jobs waiting to be sent through a channel, oldest first",
        params: channelPath,
        response: {
          200: Type.Array(
            Type.Object({
              messageId: uuidText(),
              kind: Type.Unsafe<"send" | "edit" | "remove" | "react" | "mark">({
                type: "string",
                enum: ["send", "edit", "remove", "react", "mark"],
              }),
              chatType: Type.String(),
              chatId: Type.String(),
              name: Type.String(),
              type: Type.String(),
              text: { ...nullableString, description: "The start of the text" },
              createdAt: Type.String(),
              attempts: Type.Integer({ description: "Number of attempts" }),
              underWay: Type.Boolean({
                description: "It may have been sent already and cannot be cancelled",
              }),
            }),
          ),
          ...errorAnswers,
        },
      },
      config,
    },
    async (request) => {
      const key = await keyOf(core, request);
      const jobs = await listWaiting(core.db, key, LIMIT);
      return jobs.map((job) => ({ ...job, createdAt: time(job.createdAt) }));
    },
  );
}

/** Stop and resume sending. */
function sendingRoutes(app: App, core: Core): void {
  const actions = [
    ["stop", "stopSending", "Stop sending through a channel; accepted messages wait", stopSending],
    ["go-on", "goOnSending", "Resume sending through a stopped channel", goOnSending],
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
          response: { 200: Type.Object({}), ...errorAnswers },
        },
        config,
      },
      async (request) => {
        await work(core, await keyOf(core, request));
        return {};
      },
    );
}

function clearRoute(app: App, core: Core): void {
  app.post(
    `${PATH}/queue/clear`,
    {
      schema: {
        operationId: "clearQueue",
        tags,
        summary: "Cancel all waiting messages of a channel; each ends as MESSAGE_CANCELLED",
        params: channelPath,
        response: {
          200: Type.Object({ messages: Type.Integer({ description: "Number of cancelled messages" }) }),
          ...errorAnswers,
        },
      },
      config,
    },
    async (request) => {
      const scope = accountOf(request, request.params.account);
      const { id: channelId } = await getChannel(
        core,
        scope,
        idFromPath(request.params.channel, "CHANNEL_NOT_FOUND"),
      );
      return { messages: await cancelWaiting(core, { ...scope, channelId }) };
    },
  );
}

function reconnectRoute(app: App, core: Core): void {
  app.post(
    `${PATH}/reconnect`,
    {
      schema: {
        operationId: "restartChannel",
        tags,
        summary: "Restart a channel with its stored credentials",
        params: channelPath,
        response: { 200: Type.Object({}), ...errorAnswers },
      },
      config: {
        errors: [...config.errors, "CHANNEL_NO_MONEY", "TRANSPORT_NOT_AVAILABLE", "MESSENGER_UNAVAILABLE"],
      },
    },
    async (request) => {
      const scope = accountOf(request, request.params.account);
      await reconnectChannel(core, scope, idFromPath(request.params.channel, "CHANNEL_NOT_FOUND"));
      return {};
    },
  );
}

function linkRoute(app: App, core: Core): void {
  app.post(
    `${PATH}/link`,
    {
      schema: {
        operationId: "linkToChannel",
        tags,
        summary: "Create a link to the page that reconnects the channel; valid once, within ten minutes",
        params: channelPath,
        response: { 200: Type.Object({ link: Type.String() }), ...errorAnswers },
      },
      config,
    },
    async (request) => {
      const scope = accountOf(request, request.params.account);
      const channelId = idFromPath(request.params.channel, "CHANNEL_NOT_FOUND");
      return { link: await channelsLink(core, issuerWithoutToken(scope), { transport: null, channelId }) };
    },
  );
}
