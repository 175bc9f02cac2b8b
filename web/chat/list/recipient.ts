import type { Operations } from "../../kit/api/generated.ts";
import type { Channel } from "../model.ts";

/** A person without a chat. */
export type Recipient = NonNullable<Operations["sendChatMessage"]["input"]["body"]["to"]>;

type Way = NonNullable<Channel["new_chat"]>["address_by"][number];

/** The address of a person as typed; null if it is invalid. Numbers are normalised, names lose the @. */
export function recipientOf(channel: Channel, way: Way, typed: string, name: string): Recipient | null {
  if (channel.new_chat === null) return null;
  const value = way === "phone" ? phoneOf(typed) : typed.trim().replace(/^@/, "");
  if (value === null || value === "" || /\s/.test(value)) return null;
  return {
    channel_id: channel.channel_id,
    chat_type: channel.new_chat.chat_type,
    [way]: value,
    ...(name.trim() === "" ? {} : { name: name.trim() }),
  };
}

/** Digits of an international number; null if it is none. */
function phoneOf(typed: string): string | null {
  const digits = typed.replaceAll(/[\s()+.\-–]/g, "").replace(/^00/, "");
  return /^\d{5,15}$/.test(digits) ? digits : null;
}
