import { parseBrokerAddress } from "../../../src/platform/broker/address.ts";
import { createBroker } from "../../../src/platform/broker/broker.ts";

/** Checks the broker at this address, publishes a message, and prints both outcomes as a JSON list. */
const [url = "", target = "", timeoutMs = ""] = process.argv.slice(2);
const broker = createBroker({ address: parseBrokerAddress(url), target, timeoutMs: Number(timeoutMs) });
const message = { id: "1-1", key: "1", route: "1.-.messages", kind: "messages", at: new Date() };
const outcome = (work: Promise<unknown>): Promise<string> => work.then(() => "ok", String);
const outcomes = [
  await outcome(broker.check()),
  await outcome(broker.publish({ ...message, headers: { account: "1" }, body: Buffer.from("{}") })),
];
await broker.close();
process.stdout.write(JSON.stringify(outcomes));
