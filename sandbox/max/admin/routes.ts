import type { AdminRoute } from "../../http/route.ts";
import type { World } from "../world/world.ts";
import { groupRoutes } from "./groups.ts";
import { journalRoutes } from "./journals.ts";
import { loginRoutes } from "./logins.ts";
import { peopleRoutes } from "./people.ts";
import { sessionRoutes } from "./sessions.ts";
import { troubleRoutes } from "./trouble.ts";
import { writingRoutes } from "./writing.ts";

/** The admin routes of the emulated MAX; docs/sandbox/max.md describes them. */
export function adminRoutes(world: World): AdminRoute[] {
  return [
    ["DELETE", "/", () => world.clear()],
    ...peopleRoutes(world),
    ...loginRoutes(world),
    ...sessionRoutes(world),
    ...writingRoutes(world),
    ...groupRoutes(world),
    ...troubleRoutes(world),
    ...journalRoutes(world),
  ];
}
