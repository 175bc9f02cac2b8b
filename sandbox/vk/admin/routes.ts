import type { AdminRoute } from "../../http/route.ts";
import type { World } from "../world.ts";
import { accountRoutes } from "./account.ts";
import { chatRoutes } from "./chat.ts";
import { communityRoutes } from "./community.ts";
import { personRoutes } from "./person.ts";
import { troubleRoutes } from "./trouble.ts";

/** Everything below `/admin/vk`. */
export function adminRoutes(world: World): AdminRoute[] {
  return [
    ...communityRoutes(world),
    ...accountRoutes(world),
    ...personRoutes(world),
    ...chatRoutes(world),
    ...troubleRoutes(world),
    ["DELETE", "/", () => world.clear()],
  ];
}
