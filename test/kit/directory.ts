import { join } from "node:path";
import { Directory } from "../../src/core/directory/directory.ts";
import { createDirectory } from "../../src/core/directory/schema.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { quietLog, startTestDatabase } from "./database.ts";
import { type Line, startLine } from "./line.ts";

/** A directory that cells reach over a line. */
export interface TestDirectory {
  /** Over the line, as DIRECTORY_URL. */
  readonly url: string;
  readonly line: Line;
  /** Past the line. */
  readonly db: Database;
  /** What a cell of this name uses; it may know its address later. */
  open(cell: string, address?: () => string): Directory;
  /** Carries nothing until `thaw`; connections stay, and new ones get no answer. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export async function startTestDirectory(): Promise<TestDirectory> {
  const database = await startTestDatabase({ empty: true });
  const { username, password, pathname, searchParams } = new URL(database.url);
  const line = await startLine({ path: join(String(searchParams.get("host")), ".s.PGSQL.5432") });
  const url = `postgres://${username}:${password}@127.0.0.1:${line.port}${pathname}`;
  const db = openDatabase({ connection: database.url, max: 2, log: quietLog, applicationName: "test" });
  await createDirectory(db);
  const opened: Directory[] = [];
  let thawed: (() => void) | null = null;
  const thaw = (): void => {
    thawed?.();
    thawed = null;
  };
  return {
    url,
    line,
    db,
    open(cell, address) {
      const connection = { connectionString: url };
      const options = { max: 3, waitMs: 1_500, log: quietLog, applicationName: `cell ${cell}` };
      const pool = openDatabase({ connection, ...options });
      const directory = new Directory({
        ...{ db: pool, log: quietLog, cell },
        get address() {
          return address?.() ?? null;
        },
      });
      opened.push(directory);
      return directory;
    },
    freeze() {
      line.freeze();
      // New connections get their first answer after an hour.
      line.delay(3_600_000);
      thawed = () => {
        line.delay(0);
        line.drop();
      };
    },
    thaw,
    async stop() {
      thaw();
      await Promise.all(opened.map((directory) => directory.close()));
      await db.close();
      line.drop();
      await database.stop();
    },
  };
}
