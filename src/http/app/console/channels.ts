import { type Static, Type } from "typebox";
import { historyView } from "../../../core/channel/history.ts";
import { restrictionItem, restrictionOf } from "../../../core/channel-restrictions.ts";
import { STATUSES } from "../../../core/channel-status.ts";
import {
  type ChannelLine,
  findChannelLine,
  lastTraffic,
  listChannelLines,
  listChannelStates,
  readChannelLog,
} from "../../../core/console/channels.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { countWaiting, type WaitingCount } from "../../../core/message/waiting.ts";
import { restrictions } from "../../../core/payload/v3-shapes.ts";
import type { TransportDefinition } from "../../../core/transport/definition.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { historyFields, historyShape } from "../../v2/channels/channel-shape.ts";
import { accountOf, accountsOf } from "./admission.ts";
import { accountQuery, channelPath, countOf, logLine, logLineFields, time, timeOrNull } from "./shapes.ts";

type Connect = TransportDefinition["connect"];
const tags = ["console"];
const channel = Type.Object({
  id: Type.String(),
  accountId: Type.Integer(),
  accountName: Type.String(),
  transport: Type.String(),
  label: Type.String({ description: "Name of the messenger" }),
  connect: Type.Unsafe<Connect>({
    type: "string",
    enum: ["credentials", "qr", "redirect", "page", "invitation"],
    description: "How it is linked to the messenger",
  }),
  name: Type.String(),
  phone: Type.String(),
  username: Type.String(),
  status: Type.Unsafe<ChannelLine["status"]>({ type: "string", enum: [...STATUSES] }),
  reason: nullableString,
  statusAt: Type.String({ description: "Time of the last change of status" }),
  unpaid: Type.Boolean(),
  restrictions,
  stoppedAt: { ...nullableString, description: "When its sending was stopped; null: it is not stopped" },
  node: { ...nullableString, description: "The node that runs it" },
  createdAt: Type.String(),
  queued: Type.Integer({ description: "Messages waiting to be sent" }),
  oldestAt: { ...nullableString, description: "Since when the oldest of them has been waiting" },
  history: Type.Optional(
    Type.Union([historyShape, Type.Null()], {
      description: "The import of earlier messages; null if none was requested. Of single channels only",
    }),
  ),
  detail: Type.Optional({
    ...nullableString,
    description:
      "What the messenger said when it ended or lost the connection; null: nothing. Of single channels only",
  }),
  lastMessageAt: { ...nullableString, description: "Null: none among the account's newest messages" },
});

/** Channels over all accounts, and the details of one. */
export function channelRoutes(app: App, core: Core): void {
  listRoute(app, core);
  app.get(
    "/app/api/console/accounts/:account/channels/:channel",
    {
      schema: {
        operationId: "getConsoleChannel",
        tags,
        summary: "One channel",
        params: channelPath,
        response: { 200: channel, ...errorAnswers },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND", "CHANNEL_NOT_FOUND"] },
    },
    async (request) => {
      const { accountId } = accountOf(request, request.params.account);
      const id = idFromPath(request.params.channel, "CHANNEL_NOT_FOUND");
      const line = await findChannelLine(core.db, accountId, id);
      if (line === null) throw new AppError("CHANNEL_NOT_FOUND");
      const [found] = await shown(core, [line]);
      const history = await historyView(core.db, { accountId }, id);
      if (found === undefined) throw new AppError("CHANNEL_NOT_FOUND");
      const [state] = await listChannelStates(core.db, { accountId, channelId: id }, 1);
      return {
        ...found,
        history: history === null ? null : historyFields(history),
        detail: state?.detail ?? null,
      };
    },
  );
  stateRoute(app, core);
  logRoute(app, core);
}

function listRoute(app: App, core: Core): void {
  app.get(
    "/app/api/console/channels",
    {
      schema: {
        operationId: "listConsoleChannels",
        tags,
        summary: "List channels; those that do not work come first",
        querystring: Type.Object({
          ...accountQuery.properties,
          search: Type.Optional(
            Type.String({
              maxLength: 100,
              description: "An id, or part of a name, phone, username or account",
            }),
          ),
          limit: Type.Optional(Type.String({ pattern: "^[0-9]{1,4}$" })),
        }),
        response: { 200: Type.Array(channel), ...errorAnswers },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      const { account, search = "", limit } = request.query;
      const accountId = accountsOf(request, account);
      const lines = await listChannelLines(core.db, { accountId, search, limit: countOf(limit, 200) });
      return shown(core, lines);
    },
  );
}

async function shown(core: Core, lines: readonly ChannelLine[]): Promise<Static<typeof channel>[]> {
  const waiting = await countWaiting(
    core.db,
    lines.map(({ id }) => id),
  );
  const traffic = await lastTraffic(
    core.db,
    lines.map(({ accountId }) => accountId),
  );
  const none: WaitingCount = { messages: 0, oldestAt: null };
  return lines.map((line) => {
    const { messages, oldestAt } = waiting.get(line.id) ?? none;
    const definition = core.transports.get(line.transport)?.definition;
    return {
      ...line,
      label: definition?.label ?? line.transport,
      connect: definition?.connect ?? "page",
      statusAt: time(line.statusAt),
      restrictions: line.restrictions.map((stored) => restrictionItem(restrictionOf(stored))),
      stoppedAt: timeOrNull(line.stoppedAt),
      createdAt: time(line.createdAt),
      lastMessageAt: timeOrNull(traffic.get(line.id) ?? null),
      queued: messages,
      oldestAt: timeOrNull(oldestAt),
    };
  });
}

function stateRoute(app: App, core: Core): void {
  app.get(
    "/app/api/console/accounts/:account/channels/:channel/states",
    {
      schema: {
        operationId: "listChannelStates",
        tags,
        summary: "A channel's status in the last 30 days, latest first",
        params: channelPath,
        response: {
          200: Type.Array(
            Type.Object({
              at: Type.String({ description: "Since when" }),
              status: Type.String(),
              reason: nullableString,
              detail: {
                ...nullableString,
                description: "What the messenger said when it ended or lost the connection",
              },
            }),
          ),
          ...errorAnswers,
        },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND", "CHANNEL_NOT_FOUND"] },
    },
    async (request) => {
      const scope = accountOf(request, request.params.account);
      const channelId = idFromPath(request.params.channel, "CHANNEL_NOT_FOUND");
      const states = await listChannelStates(core.db, { ...scope, channelId }, 200);
      return states.map((each) => ({ ...each, at: time(each.at) }));
    },
  );
}

function logRoute(app: App, core: Core): void {
  const id = Type.Optional(Type.String({ pattern: "^[0-9]{1,15}$", description: "Id of a line" }));
  app.get(
    "/app/api/console/accounts/:account/channels/:channel/log",
    {
      schema: {
        operationId: "readChannelLog",
        tags,
        summary:
          "A channel's log of the last week, latest first: failed and recorded exchanges, and notes, without secrets",
        params: channelPath,
        querystring: Type.Object({
          level: Type.Optional(Type.String({ maxLength: 10, description: "Only lines of this level" })),
          text: Type.Optional(
            Type.String({ maxLength: 100, description: "Part of the line or of its details" }),
          ),
          after: id,
          before: id,
        }),
        response: {
          200: Type.Array(logLine),
          ...errorAnswers,
        },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND", "CHANNEL_NOT_FOUND"] },
    },
    async (request) => {
      const scope = accountOf(request, request.params.account);
      const channelId = idFromPath(request.params.channel, "CHANNEL_NOT_FOUND");
      const { level = null, text = "", after = "0", before } = request.query;
      const search = {
        level,
        text,
        after: Number(after),
        before: Number(before ?? Number.MAX_SAFE_INTEGER),
        limit: 100,
      };
      const lines = await readChannelLog(core.db, { ...scope, channelId }, search);
      return lines.map(logLineFields);
    },
  );
}
