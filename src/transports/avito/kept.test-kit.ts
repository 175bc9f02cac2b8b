import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /^version$/, reason: "the version of the protocol" },
    { path: /content\.flow_id$/, reason: "names a flow of Avito" },
    { path: /link\.preview$/, reason: "a preview adds nothing to the address", isWhole: true },
    { path: /item\.image_url$/, reason: "a preview of the listing, whose address is shown" },
    { path: /content\.text$/, reason: "an echo of what the API sent", samples: /^own$/ },
  ],
  wanted: [/voice_id$/],
  oneOf: [/image\.sizes$/],
};
