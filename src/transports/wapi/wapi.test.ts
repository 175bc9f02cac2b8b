import { describeTransport } from "../../core/transport/conformance.ts";
import type { WapiLink } from "./access.ts";
import { receiveForApp } from "./callback.ts";
import wapi from "./index.ts";
import {
  APP_SECRET,
  appOf,
  CREDENTIALS,
  sample,
  sampleNames,
  settingsFor,
  signedCall,
  textMessage,
} from "./testing.ts";

const OWN_SECRET = "secretOfAnOwnersOwnApp";

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
  replay: (body, link) => receiveForApp(signedCall(body, OWN_SECRET), appOf(link as WapiLink)),
});
