import type { App, Waba } from "./account.ts";
import { tell } from "./announce.ts";
import type { World } from "./world.ts";

export type PartnerEvent =
  | "PARTNER_ADDED"
  | "PARTNER_REMOVED"
  | "PARTNER_APP_INSTALLED"
  | "PARTNER_APP_UNINSTALLED";

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
