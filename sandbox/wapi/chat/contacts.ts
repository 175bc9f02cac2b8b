import type { PhoneNumber } from "../account/phone-number.ts";
import { announce, metadataOf } from "../update/announce.ts";
import type { World } from "../world.ts";

/** Contacts in one change. */
const partSize = 100;

/** Reports the address book of the phone's own app, as the platform does once, on request. */
export function shareContacts(world: World, number: PhoneNumber): void {
  const phones = [...number.contacts.keys()];
  for (let n = 0; n < phones.length; n += partSize)
    tellContacts(world, number, phones.slice(n, n + partSize));
}

/** Reports contacts that were added or edited, or removed if the address book does not have them. */
export function tellContacts(world: World, number: PhoneNumber, phones: readonly string[]): number {
  const state_sync = phones.map((phone) => {
    const name = number.contacts.get(phone);
    return {
      type: "contact",
      contact: {
        ...(name && { full_name: name.fullName, first_name: name.firstName }),
        phone_number: phone,
      },
      action: name ? "add" : "remove",
      metadata: { timestamp: String(world.clock.now()) },
    };
  });
  const value = { messaging_product: "whatsapp", metadata: metadataOf(number), state_sync };
  const place = { waba: number.waba, number, orderingKey: `${number.id} contacts` };
  return announce(world, place, { field: "smb_app_state_sync", value });
}
