/** An event for receivers. `kind` is the key in the v3 body, or the name of a v2 event. */
export interface Event {
  readonly accountId: number;
  readonly kind: string;
  readonly channelId: string | null;
  /** The ordering key: the chat, or the channel for events of the channel itself. */
  readonly chat: string;
  /** The id of the message or channel that the event concerns, for the delivery log. */
  readonly subject: string;
  /** The item in the webhook's body. */
  readonly body: object;
}
