import type { ChatType } from "../../../core/transport/definition.ts";

/** A parsed JID (WhatsApp's address format), without the device. */
export type Address =
  | { readonly kind: "phone"; readonly digits: string }
  /** The hidden id (LID) of a person whose number WhatsApp does not show. */
  | { readonly kind: "hidden"; readonly id: string }
  | { readonly kind: "group"; readonly id: string }
  /** Statuses, channels, broadcasts: not chats. */
  | { readonly kind: "other" };

export function parseJid(jid: string | null | undefined): Address {
  const [user = "", server = ""] = (typeof jid === "string" ? jid : "").split("@");
  const id = user.split(":")[0]?.split("_")[0] ?? "";
  if (id === "") return { kind: "other" };
  if (server === "s.whatsapp.net" || server === "c.us" || server === "hosted")
    return { kind: "phone", digits: id };
  if (server === "lid" || server === "hosted.lid") return { kind: "hidden", id };
  return server === "g.us" ? { kind: "group", id } : { kind: "other" };
}

/** Without the device. Null for what is no chat. */
export function jidOf(address: Address): string | null {
  switch (address.kind) {
    case "phone":
      return `${address.digits}@s.whatsapp.net`;
    case "hidden":
      return `${address.id}@lid`;
    case "group":
      return `${address.id}@g.us`;
    case "other":
      return null;
  }
}

export interface ChatName {
  readonly chatType: ChatType;
  readonly chatId: string;
}

/**
 * The chat of the interface: digits for a number; a hidden id keeps its suffix, so that it cannot be confused with a
 * number.
 */
export function chatNameOf(address: Address): ChatName | null {
  switch (address.kind) {
    case "phone":
      return { chatType: "whatsapp", chatId: address.digits };
    case "hidden":
      return { chatType: "whatsapp", chatId: `${address.id}@lid` };
    case "group":
      return { chatType: "whatsgroup", chatId: address.id };
    case "other":
      return null;
  }
}

/** The inverse; null for an invalid chat id. A phone number may contain a plus and the usual separators. */
export function addressOf({ chatType, chatId }: { chatType: ChatType; chatId: string }): Address | null {
  if (chatType === "whatsgroup") {
    const id = chatId.replace(/@g\.us$/, "");
    return /^[0-9]{5,32}(-[0-9]{5,20})?$/.test(id) ? { kind: "group", id } : null;
  }
  const hidden = /^([0-9]{3,32})@lid$/.exec(chatId)?.[1];
  if (hidden !== undefined) return { kind: "hidden", id: hidden };
  const digits = chatId.replace(/@(s\.whatsapp\.net|c\.us)$/, "").replace(/[+\s()-]/g, "");
  return /^[0-9]{5,20}$/.test(digits) ? { kind: "phone", digits } : null;
}
