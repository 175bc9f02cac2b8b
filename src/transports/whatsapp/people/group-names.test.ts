import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { GroupNames } from "./group-names.ts";

const SOME_MINUTES_MS = 11 * 60_000;
const [CREW, TEAM] = ["120363000000000001@g.us", "120363000000000002@g.us"];
/** As rejected by the library. */
const refused = (message: string, data: number): Error =>
  Object.assign(new Error(message), { output: { statusCode: 500 }, data });

let names: GroupNames;
/** The groups that were looked up. */
let asked: string[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  [names, asked] = [new GroupNames(), []];
});

function find(jid: string, outcome: () => Promise<string> = async () => `Group ${jid}`): Promise<string> {
  return names.find(jid, async () => {
    asked.push(jid);
    return { subject: await outcome() };
  });
}

describe("a name", () => {
  test("is looked up once in hours, in however many groups people write", async () => {
    const groups = Array.from({ length: 500 }, (_, n) => `${n}@g.us`);
    for (let round = 0; round < 5; round++) {
      for (const jid of groups) expect(await find(jid)).toBe(`Group ${jid}`);
      vi.advanceTimersByTime(SOME_MINUTES_MS);
    }
    expect(asked).toEqual(groups);
  });

  test("is looked up again after some hours, and the old one remains if that fails", async () => {
    await find(CREW);
    vi.advanceTimersByTime(7 * 60 * 60_000);
    expect(await find(CREW, () => Promise.reject(refused("forbidden", 403)))).toBe(`Group ${CREW}`);
    expect(await find(CREW)).toBe(`Group ${CREW}`);
    expect(asked).toEqual([CREW, CREW]);
  });

  test("that WhatsApp reports is not looked up", async () => {
    names.learn(CREW, "Crew");
    expect(await find(CREW)).toBe("Crew");
    expect(asked).toEqual([]);
  });

  test("is forgotten if there are too many newer ones", async () => {
    for (let n = 0; n <= 2_000; n++) names.learn(`${n}@g.us`, "Known");
    expect([await find("1@g.us"), await find("0@g.us")]).toEqual(["Known", "Group 0@g.us"]);
  });
});

describe("after a failed lookup", () => {
  test.each<[string, unknown, readonly string[], readonly string[]]>([
    ["refused", refused("forbidden", 403), [CREW, TEAM], [CREW, TEAM]],
    [
      "not answered",
      Object.assign(new Error("Timed Out"), { output: { statusCode: 408 } }),
      [CREW, TEAM],
      [CREW, TEAM],
    ],
    ["too many requests: no other lookup either", refused("rate-overlimit", 429), [CREW], [CREW]],
  ])("%s", async (_, reason, now, later) => {
    const fail = () => Promise.reject(reason);
    for (let messages = 0; messages < 5; messages++)
      for (const jid of [CREW, TEAM]) expect(await find(jid, fail)).toBe("");
    expect(asked).toEqual(now);
    vi.advanceTimersByTime(SOME_MINUTES_MS);
    for (let messages = 0; messages < 5; messages++) for (const jid of [CREW, TEAM]) await find(jid, fail);
    expect(asked).toEqual([...now, ...later]);
  });

  test("a lost connection counts for nothing", async () => {
    await find(CREW, () => Promise.reject(1006));
    expect(await find(CREW)).toBe(`Group ${CREW}`);
  });
});
