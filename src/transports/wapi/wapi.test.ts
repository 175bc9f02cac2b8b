import { describeTransport } from "../../core/transport/conformance.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { receiveForApp } from "./inbound/callback.ts";
import wapi from "./index.ts";
import { KEPT } from "./kept.test-kit.ts";
import type { WapiLink } from "./linking/access.ts";
import {
  APP_SECRET,
  appOf,
  CREDENTIALS,
  LISTED,
  PHONE,
  PHONE_ID,
  sample,
  sampleNames,
  sent,
  settingsFor,
  signedCall,
  textMessage,
  WABA,
  WABA_ID,
} from "./testing.ts";

const OWN_SECRET = "secretOfAnOwnersOwnApp";

const WRITTEN = { id: "wamid.1", from: "79001112233" };

describeTransport(wapi, {
  credentials: { ...CREDENTIALS, app_secret: OWN_SECRET },
  secrets: [APP_SECRET],
  settings: (url) => settingsFor(url),
  message: textMessage(),
  ref: { chatType: "whatsapp", chatId: "16505551234", externalId: "wamid.OUT1" },
  file: { token: "1003383421387256" },
  flood: {
    status: 400,
    body: JSON.stringify({
      error: { message: "(#130429) Rate limit hit", type: "OAuthException", code: 130429, fbtrace_id: "A" },
    }),
  },
  samples: sampleNames().map(sample),
  kept: { names: sampleNames(), ...KEPT },
  unknown: [
    ["smb_app_state_sync", { metadata: { phone_number_id: PHONE_ID }, state_sync: [{ type: "label" }] }],
    [
      "smb_app_state_sync",
      { metadata: { phone_number_id: PHONE_ID }, state_sync: [{ type: "contact", action: "merge" }] },
    ],
    ["messages", { metadata: { phone_number_id: PHONE_ID }, polls: [{ id: "1" }] }],
    ...[
      { type: "system", system: { type: "customer_moved", body: "Ann has moved" } },
      { type: "edit", edit: { original_message_id: "wamid.0", message: { type: "text", text: {} } } },
    ].map(
      (message) =>
        [
          "messages",
          { metadata: { phone_number_id: PHONE_ID }, messages: [{ ...WRITTEN, ...message }] },
        ] as const,
    ),
    [
      "messages",
      {
        metadata: { phone_number_id: PHONE_ID },
        statuses: [{ id: "wamid.1", recipient_id: "79001112233", status: "in_orbit" }],
      },
    ],
    ["account_update", { event: "ACCOUNT_PAINTED" }],
    [
      "messages",
      {
        metadata: { phone_number_id: PHONE_ID },
        messages: [{ ...WRITTEN, group_id: "g1", type: "text", text: { body: "Hi" } }],
      },
    ],
  ].map(([field, value]) => ({
    object: "whatsapp_business_account",
    entry: [{ id: WABA_ID, changes: [{ field, value }] }],
  })),
  mutants: {
    essential: [
      /^entry\[\]\.changes(\[\](\.value)?)?$/,
      /value\.(messages|message_echoes|statuses|user_id_update|calls|state_sync)(\[\])?$/,
      /value\.(messages|message_echoes|statuses|calls)\[\]\.id$/,
      /value\.\w+\[\]\.(from|to|recipient_id|recipient_user_id|from_user_id)$/,
      /value\.messages\[\]\.(edit|revoke|system|user_id|reaction)\b/,
      /value\.user_id_update\[\]\./,
    ],
    decisive: [
      /^(object|entry(\[\](\.id)?)?)$/,
      /^entry\[\]\.changes(\[\](\.(value|field))?)?$/,
      /value\.(messages|message_echoes|statuses|user_id_update|calls)(\[\]\.(type|status|direction|event))?$/,
      /value\.state_sync(\[\]\.(type|action))?$/,
      // These trigger a refresh for the data that they omit.
      /value\.(event|message_template_\w+|decision|ban_info\b.*|current_limit|max_\w+)$/,
      // These name another business or number, which may have no channel here.
      /value\.(waba_info\.waba_id|display_phone_number|calls\[\])$/,
      /value\.metadata(\.phone_number_id)?$/,
    ],
    send: {
      message: textMessage(),
      request: /\/messages$/,
      answer: sent().body,
      essential: [],
    },
    verify: {
      answers: [
        { request: new RegExp(`/${WABA_ID}/phone_numbers`), answer: { data: [LISTED] } },
        { request: new RegExp(`/${PHONE_ID}\\?`), answer: PHONE },
        { request: new RegExp(`/${WABA_ID}\\?`), answer: WABA },
      ],
      // The number, and its membership in the business.
      essential: [/^display_phone_number$/, /^data(\[\](\.id)?)?$/],
    },
  },
  async replay(body, link) {
    const { status } = await receiveForApp(signedCall(body, OWN_SECRET), appOf(link as WapiLink));
    // Meta retries the call.
    if (status !== 200) throw new TransportError("UNKNOWN_ERROR", `responded ${status}`);
  },
});
