import type { AdminRoute } from "../../http/route.ts";
import type { World } from "../world.ts";
import { accountRoutes } from "./account.ts";
import { numberRoutes } from "./number.ts";
import { personRoutes } from "./person.ts";
import { recordRoutes } from "./record.ts";
import { templateRoutes } from "./template.ts";
import { troubleRoutes } from "./trouble.ts";
import { userRoutes } from "./user.ts";

/** Everything below `/admin/wapi`. */
export function adminRoutes(world: World): AdminRoute[] {
  return [
    ...accountRoutes(world),
    ...templateRoutes(world),
    ...numberRoutes(world),
    ...userRoutes(world),
    ...personRoutes(world),
    ...recordRoutes(world),
    ...troubleRoutes(world),
    ["DELETE", "/", () => world.clear()],
  ];
}
