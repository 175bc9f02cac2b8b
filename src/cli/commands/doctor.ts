import { messageOf } from "../../platform/message-of.ts";
import { transports } from "../../transports/index.ts";
import type { Command } from "../command.ts";
import { type Finding, fail, ok } from "../doctor/check.ts";
import { checkDatabase } from "../doctor/database.ts";
import { checkFiles } from "../doctor/files.ts";
import { checkDataDir, checkNode, checkPublicUrl } from "../doctor/machine.ts";
import { checkMessengers } from "../doctor/messengers.ts";
import { checkProxies } from "../doctor/proxies.ts";
import { table } from "../table.ts";
import { readCommandConfig } from "../with-database.ts";

const NOT_TRIED = "not tried; --network connects to them";

export const doctor: Command = {
  name: "doctor",
  summary: "Check this installation and suggest repairs; exit status 1 if a check fails",
  args: [],
  options: {
    network: { help: "Also connect to the messengers and through the proxies of the settings" },
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
  const definitions = transports.map(({ definition }) => definition);
  const [data, files, database, messengers, proxies] = await Promise.all([
    checkDataDir(config),
    checkFiles(config),
    checkDatabase(),
    network ? checkMessengers(config, definitions) : [ok("messengers", NOT_TRIED)],
    network ? checkProxies(config, definitions) : [],
  ]);
  return [node, ...data, ...files, ...database, checkPublicUrl(config), ...messengers, ...proxies];
}

function rowsOf({ status, name, detail, remedy }: Finding): string[][] {
  const row = [status.toUpperCase(), name, detail];
  return remedy === undefined ? [row] : [row, ["", "", `-> ${remedy}`]];
}
