import type { Counted, FaultList } from "../fault-list.ts";
import { AdminError, type Fields, missing } from "../http/fields.ts";
import type { AdminRoute } from "../http/route.ts";

/** The admin routes for faults. */
export function faultRoutes<Fault extends Counted>(
  faults: Pick<FaultList<Fault, unknown>, "add" | "list" | "clear" | "remove">,
  read: (body: Fields) => Omit<Fault, "id" | "hits">,
  describe: (fault: Fault) => unknown,
): AdminRoute[] {
  return [
    ["POST", "/faults", ({ body }) => describe(faults.add(read(body)))],
    ["GET", "/faults", () => ({ items: faults.list().map(describe) })],
    ["DELETE", "/faults", () => faults.clear()],
    [
      "DELETE",
      "/faults/{id}",
      ({ params }) => {
        const id = params.needInteger("id");
        if (!faults.remove(id)) throw missing("fault", id);
      },
    ],
  ];
}

/** A fault must have an effect. `wanted` names the fields that are effects. */
export function needEffect<Effect extends object>(effect: Effect, wanted: string): Effect {
  if (Object.keys(effect).length > 0) return effect;
  throw new AdminError(400, "no_effect", `one of ${wanted} is needed`);
}
