import { type Static, Type } from "typebox";
import {
  CHART_GROUPS,
  CHART_RANGES,
  type ChartGroup,
  type ChartRange,
  readChart,
} from "../../../core/console/charts.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { isOfInstallation, STATISTICS, type StatisticKind } from "../../../core/statistics/statistics.ts";
import type { App } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { accountsOf, operatorOf } from "./admission.ts";
import { accountQuery, time } from "./shapes.ts";

const values = Type.Array(Type.Unsafe<number | null>({ type: ["number", "null"] }), {
  description: "By point, in milliseconds or messages; null: nothing was counted",
});
const chart = Type.Object({
  from: Type.String({ description: "Start of the first point; days begin at midnight UTC" }),
  stepSeconds: Type.Integer({ description: "Length of a point" }),
  points: Type.Integer({ description: "Number of points; the last one is not complete yet" }),
  lines: Type.Array(
    Type.Object({
      key: Type.String({ description: "The result, error code, transport, queue, or id" }),
      name: Type.String({ description: "Of a channel or receiver" }),
      accountId: Type.Unsafe<number | null>({
        type: ["integer", "null"],
        description: "Of that channel or receiver",
      }),
      isRest: Type.Boolean({ description: "All further ones together" }),
      counts: Type.Array(Type.Number(), { description: "By point" }),
      means: values,
      peaks: values,
    }),
    { description: "The largest first" },
  ),
});
const oneOf = <T extends string>(names: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: "string", enum: [...names], description });

/** `GET /app/api/console/charts` */
export function chartRoute(app: App, core: Core): void {
  app.get(
    "/app/api/console/charts",
    {
      schema: {
        operationId: "getChart",
        tags: ["console"],
        summary: "Counts, times and depths of queues over an hour, a day or a month",
        querystring: Type.Object({
          ...accountQuery.properties,
          kind: oneOf<StatisticKind>(
            STATISTICS,
            "`messages` whose sending ended; `inbound` messages; `requests` to messengers; `deliveries` of webhooks; messages `waiting` in channels' queues; the installation's queues (`queue`) and its nodes' disks in percent (`disk`), for operators of the installation only",
          ),
          by: oneOf<ChartGroup>(CHART_GROUPS, "A line by result, by channel or receiver, or by transport"),
          range: oneOf<ChartRange>(
            Object.keys(CHART_RANGES) as ChartRange[],
            "Points of five minutes, of an hour, or of a day",
          ),
          subject: Type.Optional(
            Type.String({ format: "uuid", description: "Only of this channel or receiver" }),
          ),
        }),
        response: { 200: chart, ...errorAnswers },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request): Promise<Static<typeof chart>> => {
      const { account, kind, by, range, subject = null } = request.query;
      if (isOfInstallation(kind) && operatorOf(request).accountId !== null)
        throw new AppError("FORBIDDEN", { description: "Your role does not allow this" });
      const accountId = accountsOf(request, account);
      const found = await readChart(core.db, core.clock.now(), { accountId, kind, by, range, subject });
      return {
        ...found,
        from: time(found.from),
        lines: found.lines.map(({ counts, means, peaks, ...line }) => ({
          ...line,
          counts: [...counts],
          means: [...means],
          peaks: [...peaks],
        })),
      };
    },
  );
}
