import { registerHooks } from "node:module";
import { defineTransport } from "../../src/core/transport/connector.ts";
import { definition } from "../../src/transports/telegram/definition.ts";

// Loaded with `--import`, this module takes the place of the transport `telegram`: it accepts every message at once, so
// that a benchmark measures the gateway without a connector and its HTTP.

const REPLACED = new URL("../../src/transports/telegram/index.ts", import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    return resolved.url === REPLACED ? { ...resolved, url: import.meta.url } : resolved;
  },
});

let sent = 0;

export default defineTransport(definition, {
  verify: () => Promise.reject(new Error("no channel can be added")),
  receive: () => Promise.resolve({ status: 404 }),
  async open() {
    return {
      send: ({ to: { chatId = "" } }) =>
        Promise.resolve({ chatId, externalId: String(++sent), sentAt: new Date() }),
      close: () => Promise.resolve(),
    };
  },
});
