import type { Core } from "../../core/core.ts";
import type { App } from "../app.ts";
import { accountRoutes } from "./accounts/accounts.ts";
import { revokeRoute } from "./oauth/revoke.ts";
import { tokenRoute } from "./oauth/token.ts";

/** The routes that a partner uses with its password. */
export function partnerRoutes(app: App, core: Core): void {
  for (const add of [accountRoutes, tokenRoute, revokeRoute]) add(app, core);
}
