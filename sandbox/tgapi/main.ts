import { parseArgs } from "node:util";
import { startTgapi, type TgapiAddress } from "./server.ts";

/** The emulated data centres as a process of its own: reports where they are over IPC, and ends with its parent. */
const { values } = parseArgs({
  options: {
    host: { type: "string", default: "127.0.0.1" },
    data: { type: "string" },
    demo: { type: "boolean", default: false },
  },
});

const tgapi = await startTgapi({
  host: values.host,
  seedDemo: values.demo,
  ...(values.data !== undefined && { dataDir: values.data }),
});
// Before the address is known to anybody: who started us may end us at once. Ctrl-C reaches the parent too, which ends us.
process.once("SIGTERM", stop);
process.on("SIGINT", () => undefined);
process.once("disconnect", stop);
if (process.connected) {
  const { dataCentres, admin, keyFile, publicKey } = tgapi;
  const report: TgapiAddress = { dataCentres, admin, keyFile, publicKey };
  process.send?.(report);
} else stop();

function stop(): void {
  void tgapi.close().then(() => process.exit(0));
}
