import { expect, test } from "vitest";
import { ScanPause } from "./scan-pause.ts";

test.each<{ scans: number[]; pause: number; why: string }>([
  { scans: [], pause: 0, why: "before the first" },
  { scans: [40], pause: 0, why: "one says nothing" },
  { scans: [40, 60], pause: 800, why: "twenty times the faster of the last two" },
  { scans: [5, 2_700], pause: 100, why: "one that waited for the database" },
  { scans: [2_700, 5], pause: 100, why: "and the one after it" },
  { scans: [2_700, 3_000], pause: 10_000, why: "never longer than ten seconds" },
])("the pause after scans of $scans ms is $pause ms: $why", ({ scans, pause }) => {
  const scanPause = new ScanPause();
  for (const ms of scans) scanPause.took(ms);
  expect(scanPause.ms).toBe(pause);
});
