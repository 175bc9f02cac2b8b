/** Types of events unrelated to messages. They can be enabled; the emulator never sends them. */
const others =
  "photo_new audio_new video_new wall_reply_new wall_reply_edit wall_reply_delete wall_reply_restore wall_post_new " +
  "wall_repost board_post_new board_post_edit board_post_restore board_post_delete photo_comment_new " +
  "photo_comment_edit photo_comment_delete photo_comment_restore video_comment_new video_comment_edit " +
  "video_comment_delete video_comment_restore market_comment_new market_comment_edit market_comment_delete " +
  "market_comment_restore poll_vote_new group_join group_leave group_change_settings group_change_photo " +
  "group_officers_edit user_block user_unblock like_add like_remove donut_subscription_create " +
  "donut_subscription_prolonged donut_subscription_cancelled donut_subscription_price_changed " +
  "donut_subscription_expired donut_money_withdraw donut_money_withdraw_error";

/** Only for callback servers: https://dev.vk.com/ru/method/groups.setCallbackSettings */
const callbackOnly =
  "wall_schedule_post_new wall_schedule_post_delete market_order_new market_order_edit lead_forms_new";

const messageEvents = [
  "message_new",
  "message_reply",
  "message_edit",
  "message_allow",
  "message_deny",
  "message_read",
  "message_event",
  "message_typing_state",
  "message_reaction_event",
] as const;

/** An event that the emulator sends. */
export type EventType = (typeof messageEvents)[number];

/** The types for long polling. */
export const longPollEvents: readonly string[] = [...messageEvents, ...others.split(" ")];

/** The types for callback servers. */
export const callbackEvents: readonly string[] = [...longPollEvents, ...callbackOnly.split(" ")];
