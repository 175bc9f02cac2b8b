import { Type } from "typebox";
import { AUDIT_ACTIONS, listAudit } from "../../../core/audit/audit.ts";
import { listExits } from "../../../core/console/exits.ts";
import { QUEUES, queueDepths } from "../../../core/console/queue-depths.ts";
import { listNodes, readDatabaseFacts } from "../../../core/console/system.ts";
import type { Core } from "../../../core/core.ts";
import { listExports } from "../../../core/export/exports.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString, nullableUuid } from "../../schema/shapes.ts";
import { accountsOf, operatorOf } from "./admission.ts";
import { accountQuery, countOf, time, timeOrNull } from "./shapes.ts";

const tags = ["console"];
const WHOLE = { roles: ["operator", "viewer"] as const };

/** An effective setting, without its secret. */
export interface EffectiveSetting {
  readonly name: string;
  /** "" if there is none; "•••" for a secret. */
  readonly value: string;
  readonly origin: "environment" | "default";
  readonly help: string;
}

export interface Installation {
  readonly version: string;
  readonly settings: readonly EffectiveSetting[];
}

const setting = Type.Object({
  name: Type.String(),
  value: Type.String({ description: "A secret is masked" }),
  origin: Type.Unsafe<EffectiveSetting["origin"]>({ type: "string", enum: ["environment", "default"] }),
  help: Type.String({ description: "Purpose of the setting" }),
});
const system = Type.Object({
  version: Type.String(),
  node: Type.String({ description: "Version of Node.js" }),
  nodes: Type.Array(
    Type.Object({
      name: Type.String(),
      roles: Type.Array(Type.String()),
      schemaVersion: Type.Integer({ description: "The last migration that its release contains" }),
      startedAt: Type.String(),
      leaseUntil: Type.String(),
      isAlive: Type.Boolean(),
      channels: Type.Integer({ description: "Channels that it runs" }),
    }),
  ),
  queues: Type.Array(
    Type.Object({
      queue: Type.Enum([...QUEUES]),
      jobs: Type.Integer(),
      delay: Type.Number({ description: "Age of the oldest, in seconds" }),
    }),
  ),
  exits: Type.Array(
    Type.Object({
      exit: Type.String({ description: "As in the metrics" }),
      address: Type.String({ description: "Scheme, host and port" }),
      transports: Type.Array(Type.String()),
      channels: Type.Integer({ description: "Channels that use it" }),
      waiting: Type.Integer({ description: "Channels that wait because it does not work for their node" }),
      failure: nullableString,
      failingSince: nullableString,
    }),
    { description: "The proxies of the settings; failures as this node sees them" },
  ),
  database: Type.Object({
    version: Type.String(),
    bytes: Type.Number(),
    connections: Type.Integer(),
    maxConnections: Type.Integer(),
    tables: Type.Array(
      Type.Object({
        name: Type.String(),
        bytes: Type.Number({ description: "With its indexes" }),
        rows: Type.Number({ description: "PostgreSQL's estimate" }),
        deadRows: Type.Number({ description: "Dead rows that are not vacuumed yet" }),
        vacuumedAt: nullableString,
      }),
    ),
  }),
  settings: Type.Array(setting),
});

/** The installation itself, its audit log, and exports over all accounts. */
export function systemRoutes(app: App, core: Core, installation: Installation): void {
  app.get(
    "/app/api/console/system",
    {
      schema: {
        operationId: "getSystem",
        tags,
        summary: "Nodes, queues, database and settings",
        response: { 200: system, ...errorAnswers },
      },
      config: { ...WHOLE },
    },
    async (request) => {
      const isWhole = operatorOf(request).accountId === null;
      const [nodes, queues, exits, database] = isWhole
        ? [
            await listNodes(core.db),
            await queueDepths(core.db),
            await listExits(core),
            await readDatabaseFacts(core.db),
          ]
        : [[], [], [], { version: "", bytes: 0, connections: 0, maxConnections: 0, tables: [] }];
      return {
        version: installation.version,
        node: process.version,
        nodes: nodes.map((each) => ({
          ...each,
          roles: [...each.roles],
          startedAt: time(each.startedAt),
          leaseUntil: time(each.leaseUntil),
        })),
        queues,
        exits: exits.map((each) => ({
          ...each,
          transports: [...each.transports],
          failingSince: timeOrNull(each.failingSince),
        })),
        database: {
          ...database,
          tables: database.tables.map((each) => ({ ...each, vacuumedAt: timeOrNull(each.vacuumedAt) })),
        },
        settings: isWhole ? [...installation.settings] : [],
      };
    },
  );
  auditRoute(app, core);
  exportsRoute(app, core);
}

function auditRoute(app: App, core: Core): void {
  app.get(
    "/app/api/console/audit",
    {
      schema: {
        operationId: "listConsoleAudit",
        tags,
        summary: "The audit log, newest first",
        querystring: Type.Object({
          ...accountQuery.properties,
          action: Type.Optional(Type.Enum([...AUDIT_ACTIONS])),
          limit: Type.Optional(Type.String({ pattern: "^[0-9]{1,4}$" })),
          cursor: Type.Optional(Type.String({ description: "`next` of the previous page" })),
        }),
        response: {
          200: Type.Object({
            data: Type.Array(
              Type.Object({
                id: Type.Integer(),
                at: Type.String(),
                accountId: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
                action: Type.String(),
                subject: Type.String(),
                actor: Type.String(),
                actorId: Type.String(),
                from: Type.String(),
                details: Type.Unknown(),
              }),
            ),
            next: nullableString,
          }),
          ...errorAnswers,
        },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      const { account, action, limit, cursor } = request.query;
      const accountId = accountsOf(request, account);
      const page = await listAudit(core.db, {
        ...(accountId === null ? {} : { accountId }),
        ...(action === undefined ? {} : { action }),
        ...(cursor === undefined ? {} : { cursor }),
        limit: countOf(limit, 50),
      });
      return { data: page.data.map((each) => ({ ...each, at: time(each.at) })), next: page.next };
    },
  );
}

function exportsRoute(app: App, core: Core): void {
  app.get(
    "/app/api/console/exports",
    {
      schema: {
        operationId: "listConsoleExports",
        tags,
        summary: "List the message exports, newest first",
        querystring: accountQuery,
        response: {
          200: Type.Array(
            Type.Object({
              id: Type.String(),
              accountId: Type.Integer(),
              status: Type.String(),
              channelId: nullableUuid,
              startAt: Type.String(),
              endAt: Type.String(),
              requestedAt: Type.String(),
              finishedAt: nullableString,
              expiresAt: nullableString,
              messages: Type.Integer(),
              failures: Type.Integer(),
              node: nullableString,
            }),
          ),
          ...errorAnswers,
        },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      const exports = await listExports(core.db, accountsOf(request, request.query.account));
      return exports.map(({ startAt, endAt, requestedAt, finishedAt, expiresAt, ...rest }) => ({
        id: rest.id,
        accountId: rest.accountId,
        status: rest.status,
        channelId: rest.channelId,
        startAt: time(startAt),
        endAt: time(endAt),
        requestedAt: time(requestedAt),
        finishedAt: timeOrNull(finishedAt),
        expiresAt: timeOrNull(expiresAt),
        messages: rest.messages,
        failures: rest.failures,
        node: rest.node,
      }));
    },
  );
}
