import autocannon from "autocannon";
import { atLeast, median, type Row } from "./numbers.ts";
import { run } from "./service-process.ts";
import { chatId, type Stand } from "./stand.ts";

const CONNECTIONS = 128;
const SECONDS = 5;
const ROUNDS = 3;

/**
 * Durable acceptance over HTTP beside a bare endpoint that only parses and answers, in turn, with the generator on
 * the same cores. The node has the role `api` alone: what is accepted stays queued.
 */
export async function benchAccept(stand: Stand): Promise<Row[]> {
  const bare = await run("bench/bare-endpoint.ts", [], {}, /listening on (http:\S+)/);
  const service = await stand.serve({ ROLES: "api" });
  const rates: { bare: number[]; ours: number[]; p99: number[] } = { bare: [], ours: [], p99: [] };
  try {
    await load(`${service.url}/v2/messages`, stand, 2);
    for (let round = 0; round < ROUNDS; round++) {
      rates.bare.push((await load(bare.url, stand, SECONDS)).requests.average);
      const ours = await load(`${service.url}/v2/messages`, stand, SECONDS);
      if (ours.non2xx > 0 || ours.errors > 0)
        throw new Error(`${ours.non2xx} refusals, ${ours.errors} errors`);
      rates.ours.push(ours.requests.average);
      rates.p99.push(ours.latency.p99);
    }
  } finally {
    await Promise.all([bare.stop(), service.stop()]);
  }
  const ratio = median(rates.ours.map((rate, round) => rate / (rates.bare[round] ?? rate)));
  return [
    { bench: "accept", figure: "bare node:http endpoint", value: median(rates.bare), unit: "requests/s" },
    { bench: "accept", figure: "POST /v2/messages, durable", value: median(rates.ours), unit: "requests/s" },
    { bench: "accept", figure: `p99 at ${CONNECTIONS} connections`, value: median(rates.p99), unit: "ms" },
    atLeast("accept", "ratio to the bare endpoint", ratio, "", 0.45),
  ];
}

async function load(url: string, stand: Stand, seconds: number): Promise<autocannon.Result> {
  let n = 0;
  return autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [
      {
        method: "POST",
        headers: { authorization: `Bearer ${stand.account.accessToken}`, "content-type": "application/json" },
        setupRequest: (request) => ({ ...request, body: message(stand.channelId, n++) }),
      },
    ],
  });
}

function message(channelId: string, n: number): string {
  return JSON.stringify({
    channel_id: channelId,
    recipient: { chat_type: "telegram", chat_id: chatId(n % 1000) },
    text: `Message ${n}`,
  });
}
