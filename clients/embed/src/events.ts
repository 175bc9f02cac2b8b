/** A chat by its names in the interface. */
export interface ChatName {
  readonly channelId: string;
  readonly chatType: string;
  readonly chatId: string;
}

/** Why the element needs a link. */
export interface LinkRequest {
  /**
   * `open`: the element was put into the page. `renew`: the session has ended, or its ticket was already used. `chat`:
   * the page does not list a chat that is to be opened.
   */
  readonly reason: "open" | "renew" | "chat";
  /** With `chat`: pass it as `active_chat`. */
  readonly chat: ChatName | null;
}

/** The events of the element, and what `event.detail` is. */
export interface TrunklineChatEvents {
  /** The chats can be used. */
  readonly ready: null;
  /** How many messages of customers the employee has not seen. */
  readonly unread: { readonly count: number };
  /** The height in pixels at which what is shown needs no scroll bar. */
  readonly height: { readonly height: number };
  readonly chatopened: ChatName;
  /** The list is shown again. */
  readonly chatclosed: null;
  readonly messagesent: MessageName;
  readonly messagereceived: MessageName;
  readonly dealopen: { readonly dealId: string; readonly uri: string | null; readonly chat: ChatName };
  readonly dealrequested: ChatName;
  /** Nothing can be shown; the element says why, and tries again. */
  readonly failed: { readonly reason: FailureReason };
}

export interface MessageName {
  readonly messageId: string;
  readonly chat: ChatName;
}

/** `link`: `getLink` has failed. `refused`: the service may not be shown in this page, or cannot be reached. */
export type FailureReason = "link" | "refused";

export type Theme = "light" | "dark" | "system";
