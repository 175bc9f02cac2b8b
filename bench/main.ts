import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { benchAccept } from "./accept.ts";
import { benchBystander } from "./bystander.ts";
import { benchChannels } from "./channels.ts";
import { benchChatPage } from "./chat-page.ts";
import { benchExport } from "./export.ts";
import { benchInbound } from "./inbound.ts";
import { benchInbox } from "./inbox.ts";
import { benchLowLoad } from "./low-load.ts";
import type { Row } from "./numbers.ts";
import { benchPipeline } from "./pipeline.ts";
import { benchSessions } from "./sessions.ts";
import { benchSnapshot } from "./snapshot.ts";
import { buildStand, type Stand } from "./stand.ts";
import { benchStart } from "./start.ts";
import { benchStreams } from "./streams.ts";
import { benchTenants } from "./tenants.ts";
import { benchWebhook } from "./webhook.ts";

const BENCHES: Readonly<Record<string, () => Promise<Row[]>>> = {
  start: benchStart,
  accept: onStand(benchAccept),
  pipeline: onStand(benchPipeline),
  "low-load": onStand(benchLowLoad),
  inbound: onStand(benchInbound),
  webhook: onStand(benchWebhook),
  export: onStand(benchExport),
  snapshot: onStand(benchSnapshot),
  inbox: onStand(benchInbox),
  streams: onStand(benchStreams),
  "chat-page": onStand(benchChatPage),
  tenants: onStand(benchTenants),
  bystander: onStand(benchBystander),
  sessions: () => benchSessions(buildStand, values.transport ?? []),
  channels: () =>
    benchChannels({ channels: Number(values.channels), transports: values.transport ?? [], buildStand }),
};

/** A fresh set-up for each, so that none runs on what another left behind. */
function onStand(bench: (stand: Stand) => Promise<Row[]>): () => Promise<Row[]> {
  return async () => {
    const stand = await buildStand(1_000);
    try {
      return await bench(stand);
    } finally {
      await stand.close();
    }
  };
}

// Whoever interrupts it should find nothing left running.
process.setMaxListeners(100);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const { values, positionals } = parseArgs({
  options: {
    json: { type: "string" },
    /** Only of `channels` and `sessions`: of which transports, all unless named; and of `channels`, how many of each. */
    channels: { type: "string", default: "1000" },
    transport: { type: "string", multiple: true },
  },
  allowPositionals: true,
});
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
