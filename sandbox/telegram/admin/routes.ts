import type { AdminRoute } from "../../http/route.ts";
import type { BotApi } from "../api.ts";
import type { World } from "../world.ts";
import { botRoutes } from "./bot.ts";
import { businessRoutes } from "./business.ts";
import { groupRoutes } from "./group.ts";
import { groupChangeRoutes } from "./group-change.ts";
import { LoadGenerator } from "./load.ts";
import { personRoutes } from "./person.ts";
import { topicRoutes } from "./topic.ts";
import { troubleRoutes } from "./trouble.ts";
import { userRoutes } from "./user.ts";

/** Everything below `/admin/telegram`. */
export function adminRoutes(world: World, api: BotApi): AdminRoute[] {
  const load = new LoadGenerator(world);
  return [
    ...botRoutes(world, api),
    ...businessRoutes(world),
    ...userRoutes(world),
    ...personRoutes(world),
    ...groupRoutes(world),
    ...groupChangeRoutes(world),
    ...topicRoutes(world),
    ...troubleRoutes(world),
    ...load.routes,
    [
      "DELETE",
      "/",
      () => {
        load.stop();
        api.close();
        world.clear();
      },
    ],
  ];
}
