import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /photoToken$/, reason: "access to the same file as its address" },
    { path: /attaches\[\]\.token$/, reason: "access to a file that is named by its id" },
    { path: /attaches\[\]\.thumbnail$/, reason: "a smaller form of the file" },
    { path: /attaches\[\]\.wave$/, reason: "the shape of the sound" },
    { path: /attaches\[\]\.image\.baseUrl$/, reason: "a preview of the page, whose address is shown" },
    { path: /attaches\[\]\.host$/, reason: "a part of the address" },
    { path: /attaches\[\]\.shortMessage$/, reason: "`message` has the whole" },
    {
      path: /attaches\[\]\.name$/,
      reason: "first and last name have the same",
      samples: /^contact-person$/,
    },
    { path: /attaches\[\]\.photoUrl$/, reason: "a small picture, for a time, of the person on a card" },
    {
      path: /attaches\[\]\.baseUrl$/,
      reason: "the first frame of the video",
      samples: /^moving-photo$/,
    },
    {
      path: /keyboard\.buttons\[\]\[\]\.payload$/,
      reason: "buttons of a bot work in MAX only",
    },
  ],
  fixed: [{ path: /attaches$/, samples: /^(group-|joined)/ }],
  needed: [/elements\[\]\.(from|length)$/],
  nested: [{ path: /message\.link$/, samples: /^forward(-nested)?$/, into: "message" }],
};
