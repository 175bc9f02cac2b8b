/**
 * Fields of a message (Bot API, `Message`) that are not reported, and why. A field that is neither here nor read is
 * reported as unknown.
 */
export const IGNORED_FIELDS: Readonly<Record<string, string>> = {
  sender_boost_count: "concerns the appearance of the sender in the group",
  sender_business_bot: "only in messages of business accounts, which are not requested",
  business_connection_id: "only in messages of business accounts, which are not requested",
  sender_tag: "a title in the group, not words of the message",
  author_signature: "a title in the group, not words of the message",
  guest_query_id: "concerns the answer to a guest message",
  guest_bot_caller_user: "concerns the answer to a guest message",
  guest_bot_caller_chat: "concerns the answer to a guest message",
  receiver_user: "the bot itself",
  ephemeral_message_id: "concerns how long the message is shown",
  media_group_id: "each file of an album is a message",
  via_bot: "names the program that the message was written with",
  has_protected_content: "concerns forwarding in Telegram",
  is_from_offline: "the message was scheduled",
  is_paid_post: "concerns the owner of a channel",
  paid_star_count: "a fee to Telegram",
  suggested_post_info: "terms of a channel's post; its words are the message",
  effect_id: "an animation",
  link_preview_options: "the address stands in the text",
  show_caption_above_media: "concerns the layout",
  has_media_spoiler: "concerns the layout",
  // Sent beside the fields that replaced them.
  forward_from: "see forward_origin; only the words of what is forwarded are shown",
  forward_from_chat: "see forward_origin",
  forward_from_message_id: "see forward_origin",
  forward_signature: "see forward_origin",
  forward_sender_name: "see forward_origin",
  new_chat_member: "see new_chat_members",
  new_chat_participant: "see new_chat_members",
  left_chat_participant: "see left_chat_member",
  user_shared: "see users_shared",
};
