/** Every type of update that a bot can subscribe to. */
export const updateTypes = [
  "message_created",
  "message_callback",
  "message_edited",
  "message_removed",
  "bot_started",
  "bot_stopped",
  "bot_added",
  "bot_removed",
  "user_added",
  "user_removed",
  "chat_title_changed",
  "dialog_muted",
  "dialog_unmuted",
  "dialog_cleared",
  "dialog_removed",
] as const;

/** An update in the API's format. */
export type Update = Readonly<Record<string, unknown>> & {
  readonly update_type: (typeof updateTypes)[number];
  /** Unix milliseconds. */
  readonly timestamp: number;
};
