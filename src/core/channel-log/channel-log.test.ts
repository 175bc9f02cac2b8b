import { expect, test } from "vitest";
import { quietLog } from "../../../test/kit/database.ts";
import type { Database } from "../../database/database.ts";
import { createLog } from "../../platform/log.ts";
import { createChannelLogQueue } from "./channel-log.ts";

test("while the database is away, lost entries are reported once, not one by one", async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({
    level: "warn",
    pretty: false,
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  let refused = 0;
  const db: Pick<Database, "query"> = {
    query() {
      refused++;
      return Promise.reject(new Error("away"));
    },
  };
  const queue = createChannelLogQueue(db as Database, log);
  for (let n = 0; n < 600; n++)
    queue.add({
      accountId: 1,
      channelId: `channel ${n}`,
      at: new Date(),
      level: "info",
      message: "connected",
    });
  await queue.close();
  expect(refused).toBeGreaterThan(2);
  expect(lines).toMatchObject([{ level: "warn", msg: "entries of channels' logs could not be stored" }]);
});

test("a channel with many entries leaves room for those of others", async () => {
  const stored: { channel_id: string }[] = [];
  const db: Pick<Database, "query"> = {
    async query(_statement: unknown, [rows]: readonly unknown[]) {
      stored.push(...(JSON.parse(String(rows)) as typeof stored));
      return [];
    },
  } as Pick<Database, "query">;
  const queue = createChannelLogQueue(db as Database, quietLog);
  const add = (channelId: string) =>
    queue.add({ accountId: 1, channelId, at: new Date(), level: "info", message: "connected" });
  for (let n = 0; n < 5_000; n++) add("loud");
  add("quiet");
  await queue.close();
  expect(stored.slice(0, 2).map(({ channel_id }) => channel_id)).toEqual(["loud", "quiet"]);
  expect(stored).toHaveLength(101);
});
