import { expect, test } from "vitest";
import { type Downloading, downloadPlaces } from "./download-places.ts";

/** The downloads of accounts, beginning with this one. */
function downloads(accounts: number, each: number, from = 1, partnerId: number | null = null): Downloading[] {
  return Array.from({ length: accounts * each }, (_, index) => ({
    accountId: from + (index % accounts),
    partnerId,
  }));
}

test.each<[string, Downloading[], { free: number; accounts: number[]; partners: number[] }]>([
  ["nothing", [], { free: 16, accounts: [], partners: [] }],
  ["an account with its whole share", downloads(1, 16), { free: 16, accounts: [1], partners: [] }],
  ["an account with nearly its whole share", downloads(1, 15), { free: 16, accounts: [], partners: [] }],
  ["nearly all shared places", downloads(4, 11), { free: 4, accounts: [], partners: [] }],
  ["all shared places", downloads(3, 16), { free: 1, accounts: [1, 2, 3], partners: [] }],
  [
    "a kept place",
    [...downloads(3, 16), ...downloads(1, 1, 9)],
    { free: 1, accounts: [1, 2, 3, 9], partners: [] },
  ],
  ["all places", [...downloads(4, 16)], { free: 0, accounts: [1, 2, 3, 4], partners: [] }],
  ["accounts of one partner", downloads(32, 1, 1, 7), { free: 16, accounts: [], partners: [7] }],
])("beside %s", (_label, running, { free, accounts, partners }) => {
  expect(downloadPlaces(running)).toEqual({ free, fullAccounts: accounts, fullPartners: partners });
});
