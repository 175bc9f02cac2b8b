import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /^key$/, reason: "ids of the chat, its author and the message", isWhole: true },
    {
      path: /^pushName$/,
      reason: "the author of what is edited, removed or reacted to is known",
      samples: /^(edit|reaction|removal|call-log)$/,
    },
    { path: /^message(\.\w+)*\.url$/, reason: "`directPath` is the same address" },
    { path: /contextInfo\.participant$/, reason: "ids of people" },
    { path: /(^|[.\]])tag$/, reason: "kinds are words of the protocol" },
    {
      path: /attrs\.(from|participant|participant_pn|jid|phone_number|author|creator|s_o)$/,
      reason: "ids of people",
    },
    { path: /attrs\.(addressing_mode|t|s_t|creation|offline)$/, reason: "times and kinds" },
    { path: /attrs\.notify$/, reason: "an update that is not reported", samples: /^notice-locked$/ },
    {
      path: /(nativeFlowResponseMessage|nativeFlowMessage\.buttons\[\])\.name$/,
      reason: "names the kind of button",
    },
    { path: /codeMetadata\.codeLanguage$/, reason: "kinds are words of the protocol" },
    { path: /listMessage\.buttonText$/, reason: "opens the list, whose rows are shown" },
    { path: /contextInfo\.remoteJid$/, reason: "ids of chats" },
    { path: /invoiceMessage\.attachmentMimetype$/, reason: "the file's kind goes with the file" },
    {
      path: /contactsArrayMessage\.contacts\[\]\.displayName$/,
      reason: "the cards in `vcard` have the same",
    },
    { path: /contactMessage\.displayName$/, reason: "the card in `vcard` has the same" },
    { path: /imageMessage\.directPath$/, reason: "opens once, on the phone only", samples: /^view-once/ },
    { path: /reactionMessage\.text$/, reason: "reactions are no messages" },
  ],
  needed: [/(totalAmount1000|priceAmount1000|\.amount1000)$/],
  fixed: [{ path: /^content/, samples: /^notice-/ }],
};
