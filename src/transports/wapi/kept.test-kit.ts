import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /^object$/, reason: "kinds are words of the protocol" },
    { path: /(^|\.)(field|messaging_product)$/, reason: "kinds are words of the protocol" },
    { path: /display_phone_number$/, reason: "the channel's own number" },
    { path: /\.(from|to)$/, reason: "ids of people" },
    {
      path: /(waba_ban_state|old_limit|current_limit|value\.reason)$/,
      reason: "kinds are words of the protocol",
    },
    { path: /calls\[\]\.(direction|session\.sdp)$/, reason: "how the call is connected" },
    {
      path: /contacts\[\]\.profile$/,
      reason: "the author of what is edited, revoked or reacted to is known; a move has no names",
      isWhole: true,
      samples: /^(edit|edit-empty|group|reaction|revoke|number-changed|call-permission|identity-changed)$/,
    },
    {
      path: /contacts\[\]\.profile\.name$/,
      reason: "of a number that has no channel here",
      samples: /^two-entries$/,
    },
    {
      path: /call_permission_reply\.(response|response_source)$/,
      reason: "whether calls are permitted is no message",
    },
    { path: /addresses\[\]\.country_code$/, reason: "the country's name is shown" },
    {
      path: /system\.(identity|customer)$/,
      reason: "a change of keys is no message",
      samples: /^identity-changed$/,
    },
    { path: /messages\[\]\.origin$/, reason: "by which question the business got the contact" },
    { path: /nfm_reply\.name$/, reason: "names the kind of answer" },
    { path: /system\.body$/, reason: "the number change itself is reported" },
    { path: /user_id_update\[\]\.detail$/, reason: "the change of the id itself is reported" },
    { path: /value\.errors$/, reason: "faults of the number go to the log", isWhole: true },
    {
      path: /messages\[\]\.errors$/,
      reason: "the messenger's own words for a kind that it does not hand out",
      isWhole: true,
    },
    { path: /reaction\.emoji$/, reason: "reactions are no messages" },
    { path: /referral\.image_url$/, reason: "the picture of the advertisement, which is the owner's" },
    { path: /biz_opaque_callback_data$/, reason: "our own id of the message" },
    { path: /statuses\[\]\.errors\[\]\.title$/, reason: "`message` and `details` have the same" },
    { path: /statuses\[\]\.errors\[\]\.href$/, reason: "a page for developers" },
    { path: /pricing\.(pricing_model|category)$/, reason: "what the message costs its owner" },
    {
      path: /message_template_(name|category)$/,
      reason: "a status that changes nothing",
      samples: /^template-flagged$/,
    },
    {
      path: /(other_info|rejection_info)$/,
      reason: "templates have a status and no reason here",
      isWhole: true,
    },
    {
      path: /messages\[\]\.text\.body$/,
      reason: "of a number that has no channel here",
      samples: /^two-entries$/,
    },
  ],
  wanted: [/messages\[\]\.(image|video|audio|document|sticker)\.id$/, /product_retailer_id$/],
  needed: [/value\.messages\[\]\.\w+(\.(body|text|payload))?$/],
  fixed: [
    { path: /value\.contacts$/ },
    { path: /statuses\[\]\.errors$/ },
    { path: /value\.messages$/, samples: /^group$/ },
  ],
};
