import { once } from "node:events";
import { readCommandConfig } from "../../../src/cli/with-database.ts";
import { createLog } from "../../../src/platform/log.ts";
import { runService } from "../../../src/service/service.ts";

/** The service as a release whose migrations are in the directory MIGRATIONS. */
const config = readCommandConfig();
const log = createLog({ level: config.logLevel, pretty: false });
const migrations = process.env["MIGRATIONS"] ?? "";
const stopped = once(process, "SIGTERM");
const service = await runService({ config, log, print: () => undefined, migrations });
await stopped;
await service.stop();
process.exit(0);
