import { tell } from "../update/announce.ts";
import type { World } from "../world.ts";
import type { App, Waba } from "./account.ts";

/** Events for an app about accounts of others. */
export const partnerEvents = [
  "PARTNER_ADDED",
  "PARTNER_REMOVED",
  "PARTNER_APP_INSTALLED",
  "PARTNER_APP_UNINSTALLED",
] as const;
type PartnerEvent = (typeof partnerEvents)[number];

/** Reports to an app, under its own business, that an account was shared with it or withdrawn. */
export function announceTo(world: World, app: App, waba: Waba, event: PartnerEvent): boolean {
  const isApp = event === "PARTNER_APP_INSTALLED" || event === "PARTNER_APP_UNINSTALLED";
  const info = {
    waba_id: waba.id,
    owner_business_id: waba.businessId,
    ...(isApp && { partner_app_id: app.id }),
  };
  const change = { field: "account_update", value: { event, waba_info: info } };
  return tell(world, app, { waba, orderingKey: `account ${waba.id}` }, change, app.businessId);
}
