import type { App, Waba } from "./account.ts";
import { tell } from "./announce.ts";
import type { World } from "./world.ts";

/** What an app is told of an account that is not its own. */
export const partnerEvents = [
  "PARTNER_ADDED",
  "PARTNER_REMOVED",
  "PARTNER_APP_INSTALLED",
  "PARTNER_APP_UNINSTALLED",
] as const;
type PartnerEvent = (typeof partnerEvents)[number];

/** Tells an app, under its own business, that an account was given to it or taken away. */
export function announceTo(world: World, app: App, waba: Waba, event: PartnerEvent): boolean {
  const isApp = event === "PARTNER_APP_INSTALLED" || event === "PARTNER_APP_UNINSTALLED";
  const info = {
    waba_id: waba.id,
    owner_business_id: waba.businessId,
    ...(isApp && { partner_app_id: app.id }),
  };
  const change = { field: "account_update", value: { event, waba_info: info } };
  return tell(world, app, { waba, lane: `account ${waba.id}` }, change, app.businessId);
}
