import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /^chat_hostname$/, reason: "names a server of Viber" },
    { path: /^message_token$/, reason: "the id of the message" },
    {
      path: /^user$/,
      reason: "opening the bot and subscribing to it are no messages",
      isWhole: true,
      samples: /^(opened|subscribed)$/,
    },
    { path: /message\.thumbnail$/, reason: "a smaller form of the picture" },
  ],
};
