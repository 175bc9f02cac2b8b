import { once } from "node:events";
import { connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startLine } from "../kit/line.ts";

/** Whether the port accepts connections. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test("a line that is cut by several at once is restored by the last", async () => {
  const target = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void target.close());
  await once(target, "listening");
  const line = await startLine(target.address() as { port: number });
  onTestFinished(() => line.cut());
  await Promise.all([line.cut(), line.cut()]);
  expect(await accepts(line.port)).toBe(false);
  await line.restore();
  expect(await accepts(line.port)).toBe(false);
  await line.cut();
  await Promise.all([line.restore(), line.restore()]);
  expect(await accepts(line.port)).toBe(true);
  await line.restore();
});
