import type { Name } from "../chat/by-name.ts";

/** A chat as addressed by a CRM: by its id, or by what else is known about the person. */
export interface NamedChat extends Name {
  readonly contactName: string | null;
}

/** The page where a person connects a channel, or, with its id, reconnects it. */
export interface ChannelsOpening {
  readonly page: "channels";
  /** Null: the person chooses. */
  readonly transport: string | null;
  readonly channelId: string | null;
  /** Where the person gets a new link when this one no longer works. */
  readonly refreshUrl?: string;
  /** Where the person goes on after the channel was connected. */
  readonly returnUrl?: string;
}

/** The page where an employee chats. */
export interface ChatsOpening {
  readonly page: "chats";
  /** The employee's id in the CRM. */
  readonly userId: string;
  /** The name that clients see; null: the employee's name as uploaded by the CRM. */
  readonly authorName: string | null;
  /** `global`: all chats; `card`: the chats of one entity of the CRM. */
  readonly scope: "global" | "card";
  /** With `card` at least one, otherwise none. */
  readonly chats: readonly NamedChat[];
  readonly activeChat: (Omit<NamedChat, "contactName"> & { readonly channelId: string | null }) | null;
  /** The events that the page posts to its parent page. */
  readonly events: { readonly deals: boolean; readonly messages: boolean };
  readonly clientType: string | null;
  /** Whether the page may show contacts and deals: the scope of the token that requested the link includes `crm`. */
  readonly crm: boolean;
}

/** A chat page as a CRM requests it. */
export type RequestedChats = Omit<ChatsOpening, "page" | "crm">;

export type Opening = ChannelsOpening | ChatsOpening;
