import type { AdminRoute } from "../../http/route.ts";
import type { World } from "../world/world.ts";
import { actRoutes } from "./act.ts";
import { groupRoutes } from "./group.ts";
import { journalRoutes } from "./journal.ts";
import { loginRoutes } from "./login.ts";
import { peopleRoutes } from "./people.ts";
import { pushRoutes } from "./pushes.ts";
import { sessionRoutes } from "./session.ts";
import { troubleRoutes } from "./trouble.ts";
import { writingRoutes } from "./writing.ts";

/** The admin routes of the emulated data centres; docs/sandbox/tgapi.md describes them. */
export function adminRoutes(world: World): AdminRoute[] {
  return [
    ["DELETE", "/", () => world.clear()],
    ...peopleRoutes(world),
    ...loginRoutes(world),
    ...sessionRoutes(world),
    ...writingRoutes(world),
    ...actRoutes(world),
    ...groupRoutes(world),
    ...pushRoutes(world),
    ...troubleRoutes(world),
    ...journalRoutes(world),
  ];
}
