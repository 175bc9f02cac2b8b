import { callbackRoutes } from "../../callback/routes.ts";
import type { AdminRoute } from "../../http/route.ts";
import type { World } from "../world.ts";
import { accountRoutes } from "./account.ts";
import { chatRoutes } from "./chat.ts";
import { grantRoutes } from "./grant.ts";
import { troubleRoutes } from "./trouble.ts";

/** Everything below `/admin/avito`. */
export function adminRoutes(world: World): AdminRoute[] {
  return [
    ...accountRoutes(world),
    ...grantRoutes(world),
    ...chatRoutes(world),
    ...callbackRoutes(world.callbacks),
    ...troubleRoutes(world),
    ["DELETE", "/", () => world.clear()],
  ];
}
