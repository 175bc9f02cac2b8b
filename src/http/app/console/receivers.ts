import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { listWorstReceivers, type Receiver } from "../../../core/delivery/receiver/receivers.ts";
import { countDeliveries } from "../../../core/delivery/request/replay.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { filterFields, filterOf } from "../../v3/webhooks/query.ts";
import { accountOf, accountsOf } from "./admission.ts";
import { accountPath, accountQuery, timeOrNull } from "./shapes.ts";

const tags = ["console"];
const receiver = Type.Object({
  id: Type.String(),
  accountId: Type.Integer(),
  version: Type.String(),
  url: Type.String({ description: "Without its query, which may contain a secret" }),
  kinds: Type.Array(Type.String()),
  state: Type.Unsafe<Receiver["state"]>({ type: "string", enum: ["active", "failing", "paused"] }),
  pausedAt: nullableString,
  pauseReason: nullableString,
  failingSince: nullableString,
  failures: Type.Integer(),
  lastSuccessAt: nullableString,
  queued: Type.Integer(),
  parked: Type.Integer(),
});

/** Receivers over all accounts, and how many deliveries a replay would send. */
export function consoleReceiverRoutes(app: App, core: Core): void {
  app.get(
    "/app/api/console/receivers",
    {
      schema: {
        operationId: "listConsoleReceivers",
        tags,
        summary: "List the receivers of webhooks; failing ones come first",
        querystring: accountQuery,
        response: { 200: Type.Array(receiver), ...errorAnswers },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      const accountId = accountsOf(request, request.query.account);
      return (await listWorstReceivers(core.db, accountId)).map(shown);
    },
  );
  app.get(
    "/app/api/console/accounts/:account/replay-count",
    {
      schema: {
        operationId: "countReplay",
        tags,
        summary: "Count the deliveries that a replay with the same fields would send",
        params: accountPath,
        querystring: Type.Object(filterFields),
        response: {
          200: Type.Object({
            deliveries: Type.Integer({
              description: "One more than the limit of a replay: it would be too large",
            }),
          }),
          ...errorAnswers,
        },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      const scope = accountOf(request, request.params.account);
      return { deliveries: await countDeliveries(core.db, scope, filterOf(request.query)) };
    },
  );
}

function shown({ maxItems: _max, concurrency: _concurrency, ...found }: Receiver): Static<typeof receiver> {
  return {
    ...found,
    url: found.url.split("?", 1)[0] ?? "",
    kinds: [...found.kinds],
    pausedAt: timeOrNull(found.pausedAt),
    failingSince: timeOrNull(found.failingSince),
    lastSuccessAt: timeOrNull(found.lastSuccessAt),
  };
}
