import { expect, test, vi } from "vitest";
import type { Database } from "../../../database/database.ts";
import { createLog } from "../../../platform/log.ts";
import { createChannelLogQueue } from "./channel-log.ts";

test("the service's log throttles a channel's repeated entries to one in ten minutes; the channel's own log has all", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const lines: string[] = [];
  const stored: unknown[] = [];
  const log = createLog({
    level: "info",
    pretty: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const db = {
    async query(_statement, [rows]: readonly string[]) {
      stored.push(...JSON.parse(rows ?? ""));
      return [];
    },
  } as Partial<Database> as Database;
  const queue = createChannelLogQueue(db, log);
  const add = (channelId: string, level: "info" | "warn", message = "no answer") =>
    queue.add({ accountId: 1, channelId, at: new Date(), level, message });

  for (const _ of Array(3)) add("a", "warn");
  add("b", "warn");
  add("a", "warn", "something else");
  expect(lines).toHaveLength(3);
  vi.advanceTimersByTime(600_001);
  add("a", "warn");
  expect(lines).toHaveLength(4);
  await queue.close();
  expect(stored).toHaveLength(6);
  vi.useRealTimers();
});
