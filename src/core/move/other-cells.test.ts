import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { OtherCells } from "./other-cells.ts";

/** A cell that answers when the test does. */
async function startCell(): Promise<{ readonly origin: string; readonly asked: ServerResponse[] }> {
  const asked: ServerResponse[] = [];
  const server = createServer((_request, response) => void asked.push(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test("a cell that does not answer keeps few requests waiting, and none of other cells", async () => {
  const [hanging, other] = [await startCell(), await startCell()];
  const cells = new OtherCells(2);
  const ask = ({ origin }: { readonly origin: string }) =>
    cells.request({ origin, path: "/v2/channels", method: "GET" });
  const arrived = ({ asked }: typeof hanging, count: number) =>
    expect.poll(() => asked.length, { timeout: 60_000 }).toBe(count);

  const waiting = [ask(hanging), ask(hanging)];
  await arrived(hanging, 2);
  await expect(ask(hanging)).rejects.toThrow("2 requests wait for the cell");
  const answered = ask(other);
  await arrived(other, 1);
  other.asked[0]?.end("others go on");
  expect(await (await answered).body.text()).toBe("others go on");

  // An answer that has begun does not wait any more, and neither does a request that has failed.
  hanging.asked[0]?.flushHeaders();
  const begun = await Promise.race(waiting);
  hanging.asked[1]?.destroy();
  await expect(Promise.all(waiting)).rejects.toThrow();
  const later = [ask(hanging), ask(hanging)];
  await arrived(hanging, 4);
  await expect(ask(hanging)).rejects.toThrow("2 requests wait for the cell");
  for (const response of [hanging.asked[0], ...hanging.asked.slice(2)]) response?.end();
  for (const { body } of [begun, ...(await Promise.all(later))]) await body.dump();
});
