import type { AdminRoute } from "../../http/route.ts";
import type { World } from "../world.ts";
import { callRoutes } from "./call.ts";
import { deviceRoutes } from "./device.ts";
import { groupRoutes } from "./group.ts";
import { journalRoutes } from "./journal.ts";
import { linkRoutes } from "./link.ts";
import { passkeyRoutes } from "./passkey.ts";
import { peopleRoutes } from "./people.ts";
import { receiptRoutes } from "./receipt.ts";
import { troubleRoutes } from "./trouble.ts";
import { writingRoutes } from "./writing.ts";

/** The admin routes of the emulated WhatsApp; docs/sandbox/whatsapp.md describes them. */
export function adminRoutes(world: World): AdminRoute[] {
  return [
    ["DELETE", "/", () => world.clear()],
    ...peopleRoutes(world),
    ...linkRoutes(world),
    ...passkeyRoutes(world),
    ...deviceRoutes(world),
    ...writingRoutes(world),
    ...receiptRoutes(world),
    ...callRoutes(world),
    ...groupRoutes(world),
    ...troubleRoutes(world),
    ...journalRoutes(world),
  ];
}
