import { parseArgs } from "node:util";
import { orEnd } from "../system-error.ts";
import { startTgapi, type TgapiAddress } from "./server.ts";

/** The emulated data centres as a separate process: reports their addresses over IPC, and ends with its parent. */
const { values } = parseArgs({
  options: {
    host: { type: "string", default: "127.0.0.1" },
    data: { type: "string" },
    demo: { type: "boolean", default: false },
  },
});

const tgapi = await orEnd(
  startTgapi({
    host: values.host,
    seedDemo: values.demo,
    ...(values.data !== undefined && { dataDir: values.data }),
  }),
);
// Before the address is reported: the parent may end this process immediately. Ctrl-C also reaches the parent, which
// ends this process.
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
