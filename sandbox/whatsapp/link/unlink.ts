import type { Companion } from "../person/person.ts";
import { node } from "../wire/node.ts";
import type { World } from "../world.ts";
import { tellDeviceChange } from "./device-change.ts";

/** Unlinks the device: its connection ends, and its next login is refused with 401. */
export function unlink(world: World, companion: Companion, by: "by_device" | "by_phone"): void {
  const { person, device, connection } = companion;
  person.companions.delete(device);
  person.device.forgetSessions(companion.address);
  world.note("unlinked", companion, by);
  tellDeviceChange(world, companion, "remove");
  world.changed();
  const removed = node("stream:error", { code: "401" }, [node("conflict", { type: "device_removed" })]);
  connection?.end(by === "by_phone" ? removed : undefined);
}
