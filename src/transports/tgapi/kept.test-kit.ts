import type { KeptCases } from "../../core/transport/conformance/kept-cases.ts";

/** What of the samples the events must hold, and what not; see `KeptCases`. */
export const KEPT: Omit<KeptCases, "names"> = {
  ignored: [
    { path: /\.fileReference$/, reason: "access to a file that is named by its id" },
    { path: /photo\.sizes\[\]\.bytes$/, reason: "a smaller form of the picture" },
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
      samples: /^(channel-post|supergroup-deletion|notice-)/,
    },
    {
      path: /^known\[\]\.(username|phone)$/,
      reason: "authors in groups have a name only",
      samples: /^group-text$/,
    },
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
    { path: /media\.photo\.id$/, reason: "opens once, on the phone only", samples: /^view-once$/ },
  ],
  // Lost today: the words are to be shown, and the entry removed.
  lost: [
    { path: /media\.emoticon$/, what: "the emoji of a die" },
    { path: /attributes\[\]\.fileName$/, what: "the name of a file that has no id" },
  ],
  wanted: [/(document|photo)\.id$/],
  oneOf: [/^known$/],
};
