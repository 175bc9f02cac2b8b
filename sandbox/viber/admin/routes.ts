import { callbackRoutes } from "../../callback/routes.ts";
import type { AdminRoute } from "../../http/route.ts";
import type { World } from "../world.ts";
import { botRoutes } from "./bot.ts";
import { personRoutes } from "./person.ts";
import { troubleRoutes } from "./trouble.ts";

/** Everything below `/admin/viber`. */
export function adminRoutes(world: World): AdminRoute[] {
  return [
    ...botRoutes(world),
    ...personRoutes(world),
    ...callbackRoutes(world.callbacks),
    ...troubleRoutes(world),
    ["DELETE", "/", () => world.clear()],
  ];
}
