import { tellParent } from "../kit/embed.ts";
import type { Chat, Client } from "./model.ts";
import { nameOf } from "./parent.ts";
import { session } from "./session.ts";

/** Whether the CRM's page opens deals itself; otherwise the deal's link does. */
export function opensDeals(): boolean {
  return session.value?.events.deals === true;
}

export function announceDeal(deal: Client["deals"][number], chat: Chat): void {
  tellParent("deal.open", { dealId: deal.id, uri: deal.uri, ...nameOf(chat) });
}

export function announceDealAsked(chat: Chat): void {
  if (opensDeals()) tellParent("deal.requested", nameOf(chat));
}
