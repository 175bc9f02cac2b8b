import { parseArgs } from "node:util";
import { orEnd } from "../system-error.ts";
import { startWhatsapp, type WhatsappAddress } from "./server.ts";

/** The report of the emulator to the process that started it. */
export interface WhatsappReport extends WhatsappAddress {
  readonly type: "ready";
}

/** The emulated WhatsApp as a separate process: reports its addresses over IPC, and ends with its parent. */
const { values } = parseArgs({
  options: {
    host: { type: "string", default: "127.0.0.1" },
    data: { type: "string" },
    demo: { type: "boolean", default: false },
  },
});

const whatsapp = await orEnd(
  startWhatsapp({
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
  const { url, admin, caFile, rootKey } = whatsapp;
  const report: WhatsappReport = { type: "ready", url, admin, caFile, rootKey };
  process.send?.(report);
} else stop();

function stop(): void {
  void whatsapp.close().then(() => process.exit(0));
}
