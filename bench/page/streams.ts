import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { residentMegabytes } from "../kit/memory.ts";
import { atMost, percentile, type Row, until } from "../kit/numbers.ts";
import { chatId, client, type Stand } from "../kit/stand.ts";
import { sessionOf } from "./inbox.ts";

const STREAMS = 1_000;
const ROUNDS = 100;
const SETTLE_MS = 5_000;
/** An idle node releases the memory of a burst of requests (`platform/memory.ts`): here, of opening the streams. */
const REST_MS = 40_000;

/** A thousand open chat pages on one node: their memory, and their effect on other requests. */
export async function benchStreams(stand: Stand): Promise<Row[]> {
  const service = await stand.serve();
  const api = client(service.url, stand.account.accessToken);
  const streams: Stream[] = [];
  try {
    const token = await sessionOf(service.url, stand);
    const memory = () => residentMegabytes([service.pid]);
    const alone = await requests(api);
    await sleep(REST_MS);
    const before = await memory();
    for (let count = 0; count < STREAMS; count++) streams.push(openStream(service.url, token));
    await until(() => streams.every(({ text }) => text().includes("event: ready")));
    await sleep(SETTLE_MS);
    const opened = await memory();
    await sleep(REST_MS);
    const [held, beside] = [await memory(), await requests(api)];
    const told = await tellAll(api, stand, streams);
    return [
      atMost("streams", `memory that ${STREAMS} open streams hold`, held - before, "MB", 30),
      {
        bench: "streams",
        figure: `the same ${SETTLE_MS / 1000} s after they opened, with what that left behind`,
        value: opened - before,
        unit: "MB",
      },
      { bench: "streams", figure: "p50 of a request, no streams", value: alone, unit: "ms" },
      atMost("streams", `the same beside ${STREAMS} streams, by the former`, beside / alone, "times", 1.5),
      { bench: "streams", figure: `a message told to all ${STREAMS}, p50`, value: told, unit: "ms" },
    ];
  } finally {
    for (const { socket } of streams) socket.destroy();
    await api.close();
    await service.stop();
  }
}

interface Stream {
  readonly socket: Socket;
  /** The data received since it was last cleared. */
  text(): string;
}

function openStream(url: string, token: string): Stream {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.on("data", (bytes: Buffer) => {
    text = (text + bytes.toString()).slice(-10_000);
  });
  socket.on("error", () => undefined);
  socket.write(`GET /app/stream HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\n\r\n`);
  return { socket, text: () => text };
}

/** Median duration of another client's requests, in milliseconds. */
async function requests(api: ReturnType<typeof client>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    await api.get("/v2/channels");
    times.push(performance.now() - began);
  }
  return percentile(times, 0.5);
}

/** Median time from before a message is accepted until every page has it. */
async function tellAll(
  api: ReturnType<typeof client>,
  { channelId }: Stand,
  streams: readonly Stream[],
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    const began = performance.now();
    const recipient = { chat_type: "telegram", chat_id: chatId(round) };
    const text = `told to all ${round}`;
    await api.post("/v2/messages", { channel_id: channelId, recipient, text });
    await until(() => streams.every((stream) => stream.text().includes(text)));
    times.push(performance.now() - began);
  }
  return percentile(times, 0.5);
}
