/** Events with subscriptions of their own, in bodies of v2 (`{event, data, meta}`). */
export const V2_EVENTS = [
  "message.add",
  "message.status_update",
  "message.edit",
  "message.delete",
  "message.reaction",
  "channel.create",
  "channel.delete",
  "channel.status_update",
  "channel.qr_update",
  "channel.waba_tier_update",
  "channel.history",
  "phones.checked",
  "waba_template.status_update",
  "crm_entities.contact_add",
  "crm_entities.deal_add",
  "group_chat.update",
  "group_chat.memberships_update",
  "messages_dump.status_update",
] as const;
export type V2Event = (typeof V2_EVENTS)[number];

/** The switches of the v3 settings. */
export interface Subscriptions {
  readonly messagesAndStatuses: boolean;
  readonly contactsAndDealsCreation: boolean;
  readonly channelsUpdates: boolean;
  readonly templateStatus: boolean;
  readonly reactions: boolean;
}

const KINDS: Readonly<Record<keyof Subscriptions, readonly string[]>> = {
  messagesAndStatuses: ["messages", "statuses"],
  contactsAndDealsCreation: ["createContact", "createDeal"],
  channelsUpdates: ["channelsUpdates"],
  templateStatus: ["templateStatus"],
  reactions: ["reactions"],
};
const SWITCHES = Object.keys(KINDS) as (keyof Subscriptions)[];

/** Every kind of event that a v3 address can subscribe to by a switch. */
export const V3_KINDS: readonly string[] = SWITCHES.flatMap((name) => KINDS[name]);

/**
 * Kinds of events for the v3 address: those its switches select, and the v2 events that a client of v3 alone needs to
 * connect a channel or get an export, unless a subscription of the account receives them. Pure.
 */
export function kindsOfV3(
  uri: string,
  subscriptions: Subscriptions,
  subscribed: ReadonlySet<string>,
): string[] {
  if (uri === "") return [];
  const fallback: V2Event[] = [
    ...(subscriptions.channelsUpdates ? (["channel.status_update", "channel.qr_update"] as const) : []),
    "messages_dump.status_update",
  ];
  return [
    ...SWITCHES.filter((name) => subscriptions[name]).flatMap((name) => KINDS[name]),
    ...fallback.filter((event) => !subscribed.has(event)),
  ];
}
