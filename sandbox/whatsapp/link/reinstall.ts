import type { Person } from "../person/person.ts";
import { SignalDevice } from "../signal/device.ts";
import type { World } from "../world.ts";
import { tellNewIdentity } from "./device-change.ts";
import { unlink } from "./unlink.ts";

/** Reinstalls WhatsApp on the phone: new keys, no sessions, no linked devices. Contacts are notified. */
export function reinstall(world: World, person: Person): void {
  for (const companion of [...person.companions.values()]) unlink(world, companion, "by_phone");
  person.device = new SignalDevice();
  person.senderKeys.forget();
  tellNewIdentity(world, person);
  world.changed();
}
