import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /photoToken$/, reason: "access to the same file as its address" },
    { path: /attaches\[\]\.token$/, reason: "access to a file that is named by its id" },
    { path: /attaches\[\]\.thumbnail$/, reason: "a smaller form of the file" },
    { path: /attaches\[\]\.wave$/, reason: "the shape of the sound" },
  ],
  // Lost today: the words are to be shown, and the entry removed.
  lost: [{ path: /(link\.message\.){2}/, what: "words that were forwarded in a forwarded message" }],
  fixed: [{ path: /attaches$/, samples: /^group-/ }],
  nested: [{ path: /message\.link$/, samples: /^forward$/, into: "message" }],
};
