import { parseArgs } from "node:util";
import type { InboxItem } from "./inbox.ts";
import { inboxLines } from "./inbox-line.ts";
import { codesOfParent } from "./phone/parent-codes.ts";
import { startSandbox } from "./server.ts";
import { orEnd } from "./system-error.ts";

/** Messages of the sandbox to the process that started it. */
export type SandboxReport =
  | { readonly type: "ready"; readonly url: string }
  | { readonly type: "inbox"; readonly line: string };

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8090" },
    host: { type: "string", default: "127.0.0.1" },
    data: { type: "string" },
    demo: { type: "boolean", default: false },
  },
});

const hasParent = process.connected === true;
const sandbox = await orEnd(
  startSandbox({
    host: values.host,
    port: Number(values.port),
    seedDemo: values.demo,
    eager: true,
    onInbox: reportInbox,
    askForCodes: codesOfParent(),
    ...(values.data !== undefined && { dataDir: values.data }),
  }),
);
// Before the address is published: the parent may end the process immediately.
process.once("SIGTERM", stop);
process.once("SIGINT", stop);
process.once("disconnect", stop);
if (hasParent && !process.connected) stop();
else if (hasParent) report({ type: "ready", url: sandbox.url });
else console.log(`sandbox: ${sandbox.url}\nphone: ${sandbox.url}/phone`);

/** The parent knows its own address only once it listens. */
process.on("message", ({ type, url }: { readonly type?: unknown; readonly url?: unknown }) => {
  if (type === "service" && typeof url === "string") sandbox.serviceAt(url);
});

function reportInbox(item: InboxItem): void {
  for (const line of inboxLines(item)) {
    if (process.connected) report({ type: "inbox", line });
    else console.log(line);
  }
}

function report(message: SandboxReport): void {
  process.send?.(message);
}

function stop(): void {
  void sandbox.close().then(() => process.exit(0));
}
