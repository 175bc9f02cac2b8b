import { liveProcesses } from "../../../src/database/embedded/processes.ts";

/** Prints the pids of the PostgreSQL processes of this database directory. */
process.stdout.write(JSON.stringify(await liveProcesses(process.argv[2] ?? "")));
