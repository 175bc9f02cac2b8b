import { describe, expect, it } from "vitest";
import { Novelty } from "./novelty.ts";

describe("novelty", () => {
  const report = { id: "1", list: [{ text: "a" }, { text: "b" }, { text: "c" }], of: { name: "d" } };
  const turns = Array.from({ length: 20 }, (_, turn) => turn);

  it("adds unknown fields and changes nothing else; the same again for the same seed", () => {
    const reports = turns.map((turn) => new Novelty(7, turn).sprinkled(report));
    expect(reports).toEqual(turns.map((turn) => new Novelty(7, turn).sprinkled(report)));
    for (const each of reports) expect(each).toMatchObject(report);
    expect(reports.filter((each) => JSON.stringify(each).includes("new_")).length).toBeGreaterThan(5);
    expect(new Set(reports.map((each) => JSON.stringify(each))).size).toBeGreaterThan(5);
  });

  it("adds nothing without a seed", () => {
    for (const turn of turns) {
      expect(new Novelty(0, turn).sprinkled(report)).toEqual(report);
      expect(new Novelty(0, turn).happens()).toBe(false);
    }
  });
});
