import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /\bchat\.(first_name|last_name)$/, reason: "a private chat is named after the person in `from`" },
    {
      path: /\bchat\.username$/,
      reason: "a private chat is named after the person in `from`; groups have no username here",
    },
    { path: /sender_chat\.username$/, reason: "groups have no username here" },
    {
      path: /message\.document\.file_(name|id)$/,
      reason: "the same file as `animation`",
      samples: /^animation$/,
    },
    { path: /audio\.(performer|title)$/, reason: "tags within the file" },
    { path: /my_chat_member$/, reason: "the bot's own membership is no message", isWhole: true },
    {
      path: /edited_message\.(from|chat)$/,
      reason: "an edit changes a message whose author is known",
      isWhole: true,
    },
    {
      path: /contact\.(phone_number|first_name)$/,
      reason: "the card in `vcard` has the same",
      samples: /^contact-vcard$/,
    },
    {
      path: /message\.from\.(first_name|username)$/,
      reason: "a stand-in for the group, which is the author",
      samples: /^group-(anonymous|migrated-from|pictured)$/,
    },
    {
      path: /message\.from\.username$/,
      reason: "authors in groups have a name only",
      samples: /^(group|topic)-/,
    },
    {
      path: /message\.from$/,
      reason: "what the bot itself says, and the move of a group, is no message",
      isWhole: true,
      samples: /^group-(own|migrated)/,
    },
    { path: /message\.text$/, reason: "an echo of what the bot sent", samples: /^group-own$/ },
    {
      path: /message\.(chat|sender_chat)\.title$/,
      reason: "a moved group keeps its name",
      samples: /^group-(migrated|own)/,
    },
    {
      path: /message\.chat\.title$/,
      reason: "names are reported when they change",
      samples: /^group-(pictured|unpictured|renamed)$/,
    },
    {
      path: /(new_chat_member|new_chat_participant|left_chat_participant)$/,
      reason: "a former form of `new_chat_members` and `left_chat_member`",
      isWhole: true,
      samples: /^group-/,
    },
    { path: /old_chat_member\.user$/, reason: "the same person as in `new_chat_member`", isWhole: true },
    {
      path: /chat_member\.(chat|from|new_chat_member)$/,
      reason: "restrictions are no change of membership",
      isWhole: true,
      samples: /^member-restricted/,
    },
    { path: /callback_query\.message$/, reason: "our own message, whose button was pressed", isWhole: true },
    {
      path: /callback_query\.from\.username$/,
      reason: "authors in groups have a name only",
      samples: /^press-group$/,
    },
    { path: /callback_query\.chat_instance$/, reason: "names the chat for games" },
    {
      path: /callback_query\.(from|data)$/,
      reason: "a message that the bot did not send has no chat",
      isWhole: true,
      samples: /^press-inline$/,
    },
    {
      path: /reply_to_message\.(from|chat)$/,
      reason: "our own message, or one whose author is known",
      isWhole: true,
    },
    {
      path: /reply_to_message\.text$/,
      reason: "the part in `quote` is quoted",
      samples: /^(reply|kind-reply-quote-links)$/,
    },
    {
      path: /reply_to_message\.checklist$/,
      reason: "the task in question is quoted",
      isWhole: true,
      samples: /^kind-reply-task$/,
    },
    {
      path: /checklist_message$/,
      reason: "the checklist is another message of the chat; the tasks are named",
      isWhole: true,
    },
    { path: /completed_by_user$/, reason: "who ticked a task", isWhole: true },
    { path: /^message\.from$/, reason: "there is no message", isWhole: true, samples: /^kind-empty$/ },
    { path: /invoice\.start_parameter$/, reason: "names the invoice for machines" },
    { path: /passport_data\.credentials$/, reason: "encrypted; the bot has no key", isWhole: true },
    {
      path: /reply_markup\.inline_keyboard\[\]\[\]\.callback_data$/,
      reason: "a button of another bot does not work here",
      samples: /^kind-keyboard$/,
    },
    { path: /rich_message\..*\.v?align$/, reason: "how a table is set" },
    { path: /unique_gift\.origin$/, reason: "kinds are words of the protocol" },
    {
      path: /(game|live_photo|external_reply|story)\.photo\[\]\.file_id$/,
      reason: "a preview, or a picture of another chat",
    },
    { path: /forum_topic_created\.name$/, reason: "the beginning of the topic is no message" },
    { path: /sticker\.emoji$/, reason: "the picture shows it" },
    {
      path: /forward_(sender_name|origin\b.*\.(title|first_name|last_name|username|sender_user_name))$/,
      reason: "the words and files of what is forwarded are shown, not who wrote it",
    },
    { path: /external_reply\.origin\.chat\.title$/, reason: "the same chat as `external_reply.chat`" },
    { path: /gift\.sticker\.file_id$/, reason: "an animation of Telegram's catalogue, for its own player" },
    { path: /message_reaction$/, reason: "reactions are no messages", isWhole: true },
  ],
  wanted: [/\.file_id$/],
  oneOf: [/\.photo$/, /new_chat_photo$/],
  needed: [/quote\.text$/, /(entities\[\]\.(offset|length)|total_amount|credentials)$/],
};
