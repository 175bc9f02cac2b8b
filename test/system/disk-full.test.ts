import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { canMount } from "../kit/disk.ts";
import { checkInbound, checkOutbound, checkQueuesEmpty, startLoad, writeInbound } from "../kit/load.ts";
import { type Answer, messageBody, must, type Stand, startStand } from "../kit/stand.ts";

let stand: Stand;

afterEach(() => stand.stop());

/** Space for the server's programs, a new database and part of its log. */
const DISK_MEGABYTES = 400;

test.skipIf(!canMount())(
  "a full disk is a clear 503 for clients; nothing is lost, and free space is all it takes",
  async () => {
    stand = await startStand({ embedded: true, diskMegabytes: DISK_MEGABYTES });
    const service = await stand.start();
    const channel = await stand.addChannel(7);
    const [person = "", ...people] = channel.people;
    const load = startLoad(stand, [{ ...channel, people }]);
    load.more(20);
    await load.idle();

    const ballast = fillDisk(stand.environment["DATA_DIR"] ?? "");
    load.more(200);
    await writeInbound(stand, channel, { people: 6, count: 300, rate: 300 });
    let answer: Answer | undefined;
    await vi.waitUntil(
      async () => {
        answer = await stand.call("POST", "/v2/messages", messageBody(channel, person, "too much"));
        return answer.status !== 200;
      },
      { interval: 1 },
    );
    expect(answer).toMatchObject({ status: 503, json: { error: "UNAVAILABLE" } });
    expect(answer?.headers["retry-after"]).toBeDefined();
    await vi.waitUntil(() => /No space left on device|disk is full/i.test(service.output()));

    rmSync(ballast);
    await load.idle();
    await checkOutbound(stand, load, [channel]);
    await checkInbound(stand, 300);
    await checkQueuesEmpty(stand);
    expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
    await stand.start();
    const [kept] = await stand.db.query(
      "select (select count(*)::int from messages where direction = 'out' and status = 'queued') as lost",
    );
    expect(kept).toEqual({ lost: 0 });
  },
);

test.skipIf(!canMount())(
  "a message whose file finds no space waits for it, regardless of the number of attempts",
  async () => {
    stand = await startStand({ diskMegabytes: 8 });
    await stand.start();
    const channel = await stand.addChannel(1);
    const [person = ""] = channel.people;
    const host = createServer((_, response) =>
      response.writeHead(200, { "content-type": "application/pdf" }).end("pdf"),
    );
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    const { port } = host.address() as AddressInfo;
    try {
      const ballast = fillDisk(stand.environment["DATA_DIR"] ?? "");
      const attachment = { url: `http://127.0.0.1:${port}/a.pdf` };
      const recipient = { chat_type: "telegram", chat_id: person };
      await must(stand.call("POST", "/v2/messages", { channel_id: channel.id, recipient, attachment }));
      const untilTried = (times: number) =>
        vi.waitUntil(async () => {
          const [job] = await stand.db.query<{ attempts: number }>("select attempts from send_jobs");
          return job === undefined || job.attempts >= times;
        });
      await untilTried(1);
      await stand.db.query("update send_jobs set attempts = 8");
      await untilTried(9);
      rmSync(ballast);
      // With other limits, resting sends are checked again.
      await stand.db.query("update send_jobs set held_by = null, not_before = null");
      await must(stand.call("PATCH", `/v2/channels/${channel.id}/pacing`, { per_minute: 30 }));
      const told = () => stand.receiver.taken().filter(({ kind }) => kind === "statuses");
      await stand.receiver.until(() => told().length > 0);
      expect(told().map(({ status }) => status)).toEqual(["sent"]);
    } finally {
      host.close();
    }
  },
);

/** Writes until the disk is full; returns the file to remove. */
function fillDisk(directory: string): string {
  const path = join(directory, "ballast");
  const file = openSync(path, "w");
  for (let chunk = Buffer.alloc(1024 * 1024); chunk.length >= 1024; ) {
    try {
      if (writeSync(file, chunk) < chunk.length) chunk = chunk.subarray(0, chunk.length / 2);
    } catch {
      chunk = chunk.subarray(0, chunk.length / 2);
    }
  }
  closeSync(file);
  return path;
}
