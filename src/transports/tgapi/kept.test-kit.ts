import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /\.fileReference$/, reason: "access to a file that is named by its id" },
    { path: /photos?(\[\])?\.sizes\[\]\.bytes$/, reason: "a smaller form of the picture" },
    {
      path: /attributes\[\]\.fileName$/,
      reason: "stickers are named alike, after their format",
      samples: /^sticker-animated$/,
    },
    { path: /poll\.answers\[\]\.option$/, reason: "names the option for machines" },
    {
      path: /^known\[\]$/,
      reason: "an edit changes a message whose author is known; a moved group keeps its name",
      isWhole: true,
      samples: /^(edit|notice-migrated)$/,
    },
    {
      path: /^known\[\]\.title$/,
      reason: "names of groups are reported with messages and when they change",
      samples: /^(channel-post|supergroup-deletion|notice-|kind-(giveaway|story|reply-elsewhere))/,
    },
    {
      path: /^known\[\]\.(username|phone)$/,
      reason: "authors in groups have a name only",
      samples: /^group-text$/,
    },
    {
      path: /^known\[\]\.(username|phone)$/,
      reason: "who reacts has a name only",
      samples: /^reaction/,
    },
    { path: /reactions\.results\[\]\.reaction\.emoticon$/, reason: "the counts of what the people gave" },
    { path: /^places$/, reason: "where messages are stored, as core tells", isWhole: true },
    { path: /media\.provider$/, reason: "whose list of places it is" },
    { path: /attributes\[\]\.waveform$/, reason: "the shape of the sound" },
    { path: /attributes\[\]\.alt$/, reason: "the picture shows it" },
    { path: /attributes\[\]\.(title|performer)$/, reason: "tags within the file" },
    {
      path: /update\.message\.message$/,
      reason: "posts of channels are not read",
      samples: /^channel-post$/,
    },
    { path: /media\.photo\.id$/, reason: "opens once, on the phone only", samples: /view-once/ },
    { path: /replyMarkup\.placeholder$/, reason: "a hint in the field of the next text" },
    { path: /rows\[\]\.buttons\[\]\.data$/, reason: "a bot's own button does not work here" },
    {
      path: /media\.(firstName|lastName)$/,
      reason: "the card in `vcard` has the same",
      samples: /^kind-contact-card$/,
    },
    {
      path: /^known\[\]$/,
      reason: "an edit changes a message whose author is known; an empty message and a pin are none",
      isWhole: true,
      samples: /^kind-(edited-photo|empty|notice-pin)$/,
    },
    { path: /fwdFrom\.fromName$/, reason: "only the words of what is forwarded are shown" },
    { path: /media\.game\.(shortName|photo\.id)$/, reason: "a preview, and a name for machines" },
    { path: /media\.(starsAmount|startParam)$/, reason: "a fee to Telegram, and a name for machines" },
    { path: /gift\.stars$/, reason: "a fee to Telegram" },
    { path: /action\.answer\.option$/, reason: "names the option for machines" },
    { path: /webpage\.(url|displayUrl|title|description)$/, reason: "link previews add nothing" },
    { path: /replyMedia\.photo\.id$/, reason: "a picture of another chat" },
    { path: /(currency|totalAmount)$/, reason: "shown as one amount" },
  ],
  wanted: [/(document|photo)\.id$/],
  oneOf: [/^known$/],
  // A file has one name; of several reactions of a person, one counts.
  fixed: [{ path: /attributes$/ }, { path: /reactions\.recentReactions$/ }],
  needed: [/ntities\[\]\.(offset|length|_)$/, /replyTo\.(replyFrom|quoteText)$/, /replyFrom\.fromName$/],
};
