import type { InboundMessage } from "../../core/transport/events.ts";

export type Referral = NonNullable<InboundMessage["referral"]>;
type Known = { readonly [K in keyof Referral]?: Referral[K] | undefined };

/** The field of a message that came from `source`; none if nothing else is known of it. */
export function referralFrom(source: Referral["source"], known: Known): Pick<InboundMessage, "referral"> {
  const found = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  return Object.keys(found).length === 0 ? {} : { referral: { source, ...found } };
}

/** An opening without words becomes this text, as Telegram's `/start`. */
export function startText(ref: string | undefined): string {
  return ref === undefined ? "/start" : `/start ${ref}`;
}
