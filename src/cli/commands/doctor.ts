import { messageOf } from "../../platform/message-of.ts";
import { definitions } from "../../transports/definitions.ts";
import type { Command } from "../command.ts";
import { type Finding, fail, ok } from "../doctor/check.ts";
import { checkCollector } from "../doctor/collector.ts";
import { checkDatabase } from "../doctor/database.ts";
import { checkFiles } from "../doctor/files.ts";
import { checkDataDir, checkNode, checkPublicUrl } from "../doctor/machine.ts";
import { checkMessengers } from "../doctor/messengers.ts";
import { checkProvider } from "../doctor/provider.ts";
import { checkProxies } from "../doctor/proxies.ts";
import { checkBroker } from "../doctor/sink.ts";
import { table } from "../table.ts";
import { readCommandConfig } from "../with-database.ts";

const NOT_TRIED = "not tried; --network connects to them";

export const doctor: Command = {
  name: "doctor",
  summary: "Check this installation and suggest repairs; exit status 1 if a check fails",
  args: [],
  options: {
    network: {
      help: "Also connect to the messengers, the console's sign-in provider, the trace collector, the broker of SINK_URL, and through the proxies of the settings",
    },
  },
  async run({ print, switches }) {
    const findings = await examine(switches.includes("network"));
    if (findings.some(({ status }) => status === "fail")) process.exitCode = 1;
    print(findings, () => table(findings.flatMap(rowsOf)));
  },
};

async function examine(network: boolean): Promise<Finding[]> {
  const node = checkNode();
  let config: ReturnType<typeof readCommandConfig>;
  try {
    config = readCommandConfig();
  } catch (error) {
    return [node, fail("settings", messageOf(error), "Correct them in the environment or the .env file")];
  }
  const [data, files, database, provider, collector, messengers, proxies, broker] = await Promise.all([
    checkDataDir(config),
    checkFiles(config),
    checkDatabase(),
    checkProvider(config, network),
    checkCollector(config, network),
    network ? checkMessengers(config, definitions) : [ok("messengers", NOT_TRIED)],
    network ? checkProxies(config, definitions) : [],
    checkBroker(config, network),
  ]);
  const address = checkPublicUrl(config);
  return [
    node,
    ...data,
    ...files,
    ...database,
    address,
    ...provider,
    ...collector,
    ...messengers,
    ...proxies,
    ...broker,
  ];
}

function rowsOf({ status, name, detail, remedy }: Finding): string[][] {
  const row = [status.toUpperCase(), name, detail];
  return remedy === undefined ? [row] : [row, ["", "", `-> ${remedy}`]];
}
