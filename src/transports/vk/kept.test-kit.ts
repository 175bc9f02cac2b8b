import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /^(v|secret)$/, reason: "the version and secret of the callback" },
    { path: /^object\.client_info$/, reason: "what the app of the person can show", isWhole: true },
    { path: /object\.reaction_id$/, reason: "an emoji stands for the number" },
    { path: /call\.state$/, reason: "kinds are words of the protocol" },
    { path: /audio_message\.link_mp3$/, reason: "another form of the recording" },
    { path: /price\.amount$/, reason: "the price as VK shows it is in `text`" },
    { path: /place\.(city|country)$/, reason: "the title of the place has it" },
  ],
  oneOf: [/photo\.sizes$/, /sticker\.images(_with_background)?$/],
  nested: [{ path: /fwd_messages$/ }],
};
