import { describeTransport } from "../../core/transport/conformance.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { InstagramLink } from "./access.ts";
import { receiveForApp } from "./inbound/callback.ts";
import instagram from "./index.ts";
import { KEPT } from "./kept.test-kit.ts";
import {
  ACCOUNT,
  ANN,
  appOf,
  CREDENTIALS,
  sample,
  sampleNames,
  settingsFor,
  signedCall,
  textMessage,
} from "./testing.ts";

describeTransport(instagram, {
  credentials: { user_token: "IGAAaSecretThatOccursNowhereElse" },
  stored: { ...CREDENTIALS },
  settings: (url) => settingsFor(url),
  message: textMessage(),
  ref: { chatType: "instagram", chatId: ANN, externalId: "aWdfZAG1" },
  file: { token: "/file" },
  flood: {
    status: 400,
    body: JSON.stringify({
      error: {
        message: "(#613) Calls to this api have exceeded the rate limit.",
        type: "OAuthException",
        code: 613,
      },
    }),
  },
  samples: sampleNames().map(sample),
  kept: { names: sampleNames(), ...KEPT },
  unknown: [
    { messaging: [{ sender: { id: ANN }, recipient: { id: ACCOUNT }, message: { mid: "m1", text: "" } }] },
    { changes: [{ field: "mentions", value: { media_id: "1", comment_id: "2" } }] },
    { messaging: [{ sender: { id: ANN }, recipient: { id: ACCOUNT }, timestamp: 1, optin: { type: "x" } }] },
  ].map((part) => ({ object: "instagram", entry: [{ id: ACCOUNT, time: 1_790_000_000, ...part }] })),
  mutants: {
    essential: [
      /^entry\[\]\.(messaging|standby)(\[\])?$/,
      /(^entry\[\]\.(messaging|standby)\[\]|value)\.(sender|recipient)(\.id)?$/,
      /(\[\]|value)\.(message|message_edit|read|reaction|postback|referral)(\.mid)?$/,
      /value(\.(id|from|from\.id|media|media\.id))?$/,
    ],
    decisive: [
      /^(object|entry(\[\](\.id)?)?)$/,
      /^entry\[\]\.(messaging|standby|changes)(\[\])?$/,
      /^entry\[\]\.(changes\[\]\.)?field$/,
      /attachments(\[\](\.\w+)*)?$/,
      // A deletion is reported for the maximum number of files that the message may have had.
      /is_deleted$/,
      // Without words and files there is no message, and no edit.
      /\.message\.(text|is_unsupported|poll)$/,
      /message_edit\.(text|num_edit)$/,
      /reaction\.action$/,
    ],
    send: {
      message: textMessage(),
      request: /\/messages$/,
      answer: { recipient_id: ANN, message_id: "aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlE20" },
      essential: [],
    },
    verify: {
      answers: [
        {
          request: /\/access_token\?/,
          answer: { access_token: "IGAAlong", token_type: "bearer", expires_in: 5_184_000 },
        },
        {
          request: /\/me\?/,
          answer: { id: "24000000000000001", user_id: ACCOUNT, username: "shop", name: "Shop" },
        },
      ],
      essential: [/^access_token$/, /^user_id$/, /^username$/],
    },
  },
  async replay(body, link) {
    const known = { username: "ann", name: "Ann", at: Date.now() };
    await link.state.set(`person:${ANN}`, JSON.stringify(known));
    const settings = settingsFor("http://127.0.0.1:9");
    const own = link as InstagramLink;
    await own.renewCredentials(CREDENTIALS);
    const { status } = await receiveForApp(signedCall(body), appOf(settings, own));
    // Meta retries the call.
    if (status !== 200) throw new TransportError("UNKNOWN_ERROR", `responded ${status}`);
  },
});
