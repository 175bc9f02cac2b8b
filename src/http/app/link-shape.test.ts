import { expect, test } from "vitest";
import type { LinkView } from "../../core/channel/link/link-view.ts";
import { NO_TRIAL } from "../../core/channel/link/trial.ts";
import { linkFields } from "./link-shape.ts";

test.each([
  ["invitation", "viber://chat"],
  ["page", null],
  ["redirect", null],
  ["qr", null],
])("of a transport connected by %s, a page learns the address %s", (connect, url) => {
  const channel = { id: "1", transport: "t", url: "viber://chat", restrictions: [] };
  const view = {
    channel,
    qr: null,
    qrSeconds: null,
    passwordHint: null,
    history: null,
    passkey: null,
    compareCode: null,
    trial: NO_TRIAL,
    version: "1",
  };
  const transports = new Map([["t", { definition: { connect } }]]);
  const fields = linkFields({ transports } as never, view as unknown as LinkView);
  expect(fields.url).toBe(url);
});
