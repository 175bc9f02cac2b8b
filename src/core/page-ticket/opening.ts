import type { ChatType } from "../transport/definition.ts";

/** A chat as a CRM names it: by its id, or by what else is known of the person. */
export interface NamedChat {
  readonly chatType: ChatType;
  readonly chatId: string | null;
  readonly username: string | null;
  /** Digits only. */
  readonly phone: string | null;
  readonly contactName: string | null;
}

/** The page where a person connects a channel, or with its id connects one again. */
export interface ChannelsOpening {
  readonly page: "channels";
  /** Null: the person chooses. */
  readonly transport: string | null;
  readonly channelId: string | null;
}

/** The page where an employee reads and writes. */
export interface ChatsOpening {
  readonly page: "chats";
  /** Of the employee in the CRM. */
  readonly userId: string;
  /** What clients see; null: the name that the CRM has loaded for the employee. */
  readonly authorName: string | null;
  /** `global`: all chats; `card`: those of one entity of the CRM. */
  readonly scope: "global" | "card";
  /** With `card` at least one, else none. */
  readonly chats: readonly NamedChat[];
  readonly activeChat: (Omit<NamedChat, "contactName"> & { readonly channelId: string | null }) | null;
  /** Which events the page tells the CRM's page that it stands in. */
  readonly events: { readonly deals: boolean; readonly messages: boolean };
  readonly clientType: string | null;
}

export type Opening = ChannelsOpening | ChatsOpening;
