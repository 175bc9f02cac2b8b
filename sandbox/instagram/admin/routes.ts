import type { AdminRoute } from "../../http/route.ts";
import type { World } from "../world.ts";
import { accountRoutes } from "./account.ts";
import { mediaRoutes } from "./media.ts";
import { personRoutes } from "./person.ts";
import { troubleRoutes } from "./trouble.ts";

/** Everything below `/admin/instagram`. */
export function adminRoutes(world: World): AdminRoute[] {
  return [
    ...accountRoutes(world),
    ...personRoutes(world),
    ...mediaRoutes(world),
    ...troubleRoutes(world),
    ["DELETE", "/", () => world.clear()],
  ];
}
