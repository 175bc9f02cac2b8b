import type { Line } from "../../test/kit/line.ts";
import type { Random } from "../random.ts";
import type { Mood } from "../receiver.ts";
import { LONG_MS, type Rest, seconds } from "./contract.ts";
import type { Trouble } from "./trouble.ts";

/** Connections break, freeze, lose data and slow down; receivers and messengers fail. */
export const LINE_TROUBLES: readonly Trouble[] = [
  {
    name: "disturb the line to the database",
    weight: 5,
    async run({ nodes }, random, rest) {
      const node = random.pick(nodes);
      return `of ${node.name}: ${await disturb(node.database, random, rest)}`;
    },
  },
  {
    name: "disturb the line to a messenger",
    weight: 4,
    async run({ nodes }, random, rest) {
      const node = random.pick(nodes);
      const [transport, line] = random.pick([...node.messengers]);
      return `${node.name} to ${transport}: ${await disturb(line, random, rest)}`;
    },
  },
  {
    name: "disturb the line to a receiver",
    weight: 2,
    async run({ accounts }, random, rest) {
      const { accountId, line } = random.pick(accounts);
      return `of account ${accountId}: ${await disturb(line, random, rest)}`;
    },
  },
  {
    name: "a receiver fails",
    weight: 4,
    async run({ accounts }, random, rest) {
      const { accountId, receiver } = random.pick(accounts);
      const mood = random.pick<Mood | "closed">(["500", "503", "hangs", "slow", "breaks off", "closed"]);
      const ms = random.between(500, 2 * LONG_MS);
      if (mood === "closed") await receiver.close();
      else receiver.mood = mood;
      await rest(ms);
      if (mood === "closed") await receiver.open();
      else receiver.mood = "well";
      return `of account ${accountId}: ${mood} for ${seconds(ms)}`;
    },
  },
  {
    name: "a messenger fails",
    weight: 5,
    async run({ messengers }, random) {
      const { transport, admin, crowd } = random.pick(messengers);
      const fault = random.pick(FAULTS[transport] ?? [null]);
      if (fault === null) await crowd.jolt(random.integer(97));
      else await admin("POST", "/faults", { ...fault, times: 1 + random.integer(3) });
      return `${transport}: ${fault === null ? "its lines, or its requests" : JSON.stringify(fault)}`;
    },
  },
];

/**
 * Effects of emulators on the next sends; null: those of its crowd. Each leaves the outcome open, or requests a
 * retry.
 */
const FAULTS: Readonly<Record<string, readonly (object | null)[]>> = {
  telegram: [
    { method: "sendMessage", drop: "before" },
    { method: "sendMessage", drop: "after" },
    { method: "sendMessage", hang_ms: 2_500 },
    { method: "sendMessage", retry_after: 1 },
    { method: "getUpdates", drop: "after" },
    { method: "getUpdates", http_status: 502 },
    null,
  ],
  wapi: [
    { edge: "messages", drop: "before" },
    { edge: "messages", drop: "after" },
    { edge: "messages", hang_ms: 2_500 },
    { edge: "messages", error_code: 131056 },
    { edge: "messages", error_code: 130429 },
  ],
};

async function disturb(line: Line, random: Random, rest: Rest): Promise<string> {
  const ms = random.between(300, LONG_MS);
  const how = random.pick(["lost", "cut", "frozen", "mute", "slow"]);
  if (how === "lost") line.drop();
  if (how === "cut") {
    await line.cut();
    await rest(ms);
    await line.restore();
  }
  if (how === "frozen" || how === "mute") {
    if (how === "mute") line.mute();
    else line.freeze();
    await rest(ms);
    // These connections carry no more data.
    line.drop();
  }
  if (how === "slow") {
    line.delay(random.between(20, 400));
    await rest(ms);
    line.delay(0);
  }
  return how === "lost" ? how : `${how} for ${seconds(ms)}`;
}
