import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { openDatabase } from "../src/database/database.ts";
import { createLog } from "../src/platform/log.ts";
import { benchChannels } from "./channel/channels.ts";
import { benchPolling } from "./channel/polling.ts";
import { benchSessions } from "./channel/sessions.ts";
import { fillEvents, fillInbox } from "./kit/history.ts";
import type { Row } from "./kit/numbers.ts";
import { buildStand, type Stand } from "./kit/stand.ts";
import { benchExport } from "./node/export.ts";
import { benchIdle } from "./node/idle.ts";
import { benchSnapshot } from "./node/snapshot.ts";
import { benchStart } from "./node/start.ts";
import { benchChatPage } from "./page/chat-page.ts";
import { benchInbox } from "./page/inbox.ts";
import { benchStreams } from "./page/streams.ts";
import { benchDump } from "./receive/dump.ts";
import { benchHistory } from "./receive/history.ts";
import { benchInbound } from "./receive/inbound.ts";
import { benchReceipts } from "./receive/receipts.ts";
import { benchWebhook } from "./receive/webhook.ts";
import { benchAccept } from "./send/accept.ts";
import { benchAccounts } from "./send/accounts.ts";
import { benchLowLoad } from "./send/low-load.ts";
import { benchPipeline } from "./send/pipeline.ts";
import { benchBystander } from "./tenant/bystander.ts";
import { benchTenants } from "./tenant/tenants.ts";

const BENCHES: Readonly<Record<string, () => Promise<Row[]>>> = {
  start: benchStart,
  accept: onStand(benchAccept),
  pipeline: onStand(benchPipeline),
  "low-load": onStand(benchLowLoad),
  accounts: onStand(benchAccounts),
  inbound: onStand(benchInbound),
  receipts: onStand(benchReceipts),
  history: onStand((stand) => benchHistory(stand, Number(values.imported))),
  dump: onStand((stand) => benchDump(stand, Number(values.imported))),
  webhook: onStand(benchWebhook),
  export: onStand(benchExport),
  snapshot: onStand(benchSnapshot),
  inbox: onStand(benchInbox),
  streams: onStand(benchStreams),
  "chat-page": onStand(benchChatPage),
  tenants: onStand(benchTenants),
  bystander: onStand(benchBystander),
  sessions: () => benchSessions(buildStand, { transports: values.transport ?? [], proxied: values.proxy }),
  channels: () =>
    benchChannels({ channels: Number(values.channels), transports: values.transport ?? [], buildStand }),
  idle: () =>
    benchIdle({ channels: Number(values.channels), elsewhere: Number(values.elsewhere), buildStand }),
  polling: () => benchPolling({ channels: Number(values.channels), buildStand }),
};

/** A new installation for each benchmark, so that none depends on an earlier one. */
function onStand(bench: (stand: Stand) => Promise<Row[]>): () => Promise<Row[]> {
  return async () => {
    const stand = await buildStand(1_000);
    try {
      await fill(stand, Number(values.messages));
      return await bench(stand);
    } finally {
      await stand.close();
    }
  };
}

async function fill(stand: Stand, messages: number): Promise<void> {
  if (messages === 0) return;
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "bench" });
  await db.session(async (session) => {
    await fillInbox(session, stand, messages);
    await fillEvents(session, stand, messages * 4);
  });
  await db.close();
}

// Stops everything when interrupted.
process.setMaxListeners(100);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const HELP = `npm run bench -- [options] [name …]

Measures speed and memory on an installation of its own, with emulated messengers. Without a name all of them run:
${Object.keys(BENCHES).join(", ")}.

  --json FILE       also writes the figures there
  --messages N      the account has N messages from before, each with four events (0); not for channels, idle, polling,
                    start and sessions
  --channels N      for channels, polling and idle: how many (1000); polling needs a file descriptor for each
  --elsewhere N     for idle: how many channels other nodes hold (0)
  --imported N      for history and dump: how many messages are imported (1000000)
  --transport NAME  for channels and sessions: whose; may be repeated (all)
  --proxy           for sessions: through a SOCKS5 proxy`;

const { values, positionals } = parseArgs({
  options: {
    json: { type: "string" },
    channels: { type: "string", default: "1000" },
    elsewhere: { type: "string", default: "0" },
    messages: { type: "string", default: "0" },
    imported: { type: "string", default: "1000000" },
    transport: { type: "string", multiple: true },
    proxy: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
const chosen = positionals.length === 0 ? Object.keys(BENCHES) : positionals;
const rows: Row[] = [];
for (const name of chosen) {
  const bench = BENCHES[name];
  if (bench === undefined)
    throw new Error(`There is no benchmark "${name}", only ${Object.keys(BENCHES).join(", ")}`);
  console.error(`running ${name} …`);
  rows.push(...(await bench()));
}
console.table(
  rows.map(({ bench, figure, value, unit, goal = "", isMet }) => ({
    bench,
    figure,
    value: round(value),
    unit,
    goal,
    met: isMet === undefined ? "" : isMet ? "yes" : "NO",
  })),
);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(rows, null, 2)}\n`);

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}
