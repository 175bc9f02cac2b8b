import { parseArgs } from "node:util";
import { hostedAccount } from "./account.ts";
import { startHosted } from "./server.ts";

/** The emulated hosted service as a process: prints its address and the keys of its account. */
const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    contacts: { type: "string", default: "250" },
    messages: { type: "string", default: "1000" },
  },
});

const account = hostedAccount({ contacts: Number(values.contacts), messages: Number(values.messages) });
const hosted = await startHosted({ account, port: Number(values.port) });
const { apiKey, token } = account;
console.log(JSON.stringify({ url: hosted.url, apiKey, token }));
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void hosted.close().then(() => process.exit(0)));
