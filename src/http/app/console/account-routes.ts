import type { RouteOptions } from "fastify";
import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import type { App } from "../../app.ts";
import { pacingRoutes } from "../../v2/channels/pacing.ts";
import { exportRoutes } from "../../v2/messages/exports.ts";
import { listUsersRoute } from "../../v3/crm/users.ts";
import { listTemplatesRoute } from "../../v3/templates/list.ts";
import { deliveryRoutes } from "../../v3/webhooks/deliveries.ts";
import { parkedRoutes } from "../../v3/webhooks/parked.ts";
import { receiverRoutes } from "../../v3/webhooks/receivers.ts";
import { replayRoutes } from "../../v3/webhooks/replay.ts";
import { testReceiverRoute } from "../../v3/webhooks/test-receiver.ts";
import { accountOf, operatorOf } from "./admission.ts";

const PREFIX = "/app/api/console/accounts/:account";

/**
 * Routes of the interface for an account that the user may see: `/app/api/console/accounts/{account}/v3/…` behaves
 * like `/v3/…` with a token of that account, so that the console has no rules of its own for the interface's
 * functions.
 */
export function interfaceRoutes(app: App, core: Core): void {
  app.register(
    async (account: App) => {
      account.addHook("onRoute", (route) => describeForAccount(route));
      account.addHook("onRequest", async (request) => {
        const { account = "" } = request.params as { account?: string };
        const { accountId } = accountOf(request, account);
        const { id: tokenId } = operatorOf(request);
        request.identity = { accountId, tokenId, kind: "api", scope: null, grantId: null, application: null };
      });
      for (const routes of [
        receiverRoutes,
        deliveryRoutes,
        parkedRoutes,
        replayRoutes,
        testReceiverRoute,
        listTemplatesRoute,
        listUsersRoute,
        pacingRoutes,
        exportRoutes,
      ])
        routes(account, core);
    },
    { prefix: PREFIX },
  );
}

interface Described {
  operationId?: string;
  tags?: readonly string[];
  params?: { properties?: object };
}

/** Operations get a separate name, and the account in their path. */
function describeForAccount({ schema = {} }: RouteOptions): void {
  const described = schema as Described;
  const { operationId = "", params } = described;
  if (operationId === "" || operationId.startsWith("account")) return;
  described.operationId = `account${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}`;
  described.tags = ["console"];
  described.params = Type.Object({
    account: Type.String({ description: "Id of the account" }),
    ...params?.properties,
  });
}
