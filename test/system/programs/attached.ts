import { createInterface } from "node:readline";
import { openDatabase } from "../../../src/database/database.ts";
import { type EmbeddedServer, startEmbedded } from "../../../src/database/embedded.ts";
import { migrate } from "../../../src/database/migrate.ts";
import { quietLog } from "../../kit/database.ts";

/** A program that uses the embedded database of a directory and executes commands, one per line. */
try {
  const server = await startEmbedded({ dataDir: process.argv[2] ?? "", log: quietLog });
  say({ pid: server.pid, reused: server.reused });
  const input = createInterface({ input: process.stdin });
  input.on("line", async (line) => {
    say(await obey(server, line).catch((error: unknown) => ({ error: String(error) })));
    if (line === "stop") input.close();
  });
} catch (error) {
  say({ error: String(error) });
}

async function obey(server: EmbeddedServer, line: string): Promise<object> {
  switch (line) {
    case "claim":
      await server.claimService();
      return { claimed: true };
    case "migrate": {
      const db = openDatabase({ connection: server.connection, log: quietLog, applicationName: "program" });
      const outcome = await migrate(db);
      await db.close();
      return outcome;
    }
    case "stop":
      return { stop: await server.stop() };
    default:
      return { error: `unknown command ${line}` };
  }
}

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
