import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /(^|\.)(sender|user)\.name$/, reason: "first and last name have the same" },
    { path: /(^|\.)(sender|user)\.avatar_url$/, reason: "the smaller form of the picture" },
    { path: /(^|\.)user_locale$/, reason: "of the device" },
    { path: /thumbnail\.url$/, reason: "a smaller form of the file" },
    {
      path: /^user$/,
      reason: "no message: the bot was added to a group, or stopped",
      isWhole: true,
      samples: /^(bot-added|stopped)$/,
    },
    {
      path: /^user\.full_avatar_url$/,
      reason: "group updates name people without their pictures",
      samples: /^group-/,
    },
    { path: /max_info$/, reason: "the card in `vcf_info` has the same", isWhole: true },
    {
      path: /message\.sender$/,
      reason: "an edit changes a message whose author is known",
      isWhole: true,
      samples: /^edited$/,
    },
    {
      path: /message\.sender$/,
      reason: "the author of our own message, whose button was pressed",
      isWhole: true,
      samples: /^press$/,
    },
    {
      path: /message\.body\.attachments\[\]\.payload\.buttons$/,
      reason: "the buttons of our own message",
      isWhole: true,
      samples: /^press$/,
    },
    {
      path: /message\.sender\.(username|full_avatar_url)$/,
      reason: "authors in groups have a name only",
      samples: /^group$/,
    },
    {
      path: /message\.link\.message\.attachments\[\]\.payload\.buttons\[\]\[\]\.payload$/,
      reason: "buttons of another bot do not work here",
      samples: /^forward-buttons$/,
    },
    {
      path: /message\.link\.sender$/,
      reason: "the author of our own message, which is quoted",
      isWhole: true,
      samples: /^reply$/,
    },
    {
      path: /message\.link\.sender\.(username|full_avatar_url)$/,
      reason: "authors of quoted messages have a name only",
    },
    {
      path: /link\.sender\.(first|last)_name$/,
      reason: "only the words of what is forwarded are shown, not who wrote them",
      samples: /^forward/,
    },
    { path: /image_url$/, reason: "a preview of the page, whose address is shown" },
  ],
  fixed: [{ path: /attachments$/, samples: /^button-data$/ }],
  nested: [{ path: /message\.link$/, samples: /^forward/, into: "message" }],
  oneOf: [/attachments\[\]\.payload$/],
  needed: [/markup\[\]\.(from|length)$/],
};
