import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /^object$/, reason: "kinds are words of the protocol" },
    { path: /(^|\.)field$/, reason: "kinds are words of the protocol" },
    { path: /referral\.source$/, reason: "becomes the kind of `referral.source`" },
    { path: /attachments\[\]\.url$/, reason: "the address within it is shown", samples: /^link$/ },
    {
      path: /attachments\[\]\.payload\.url$/,
      reason: "both attachments are one post",
      samples: /^post-told-twice$/,
    },
    {
      path: /ads_context_data\.photo_url$/,
      reason: "the picture of the advertisement, which is the owner's",
    },
    { path: /reaction\.(action|reaction|emoji)$/, reason: "reactions are no messages" },
  ],
};
