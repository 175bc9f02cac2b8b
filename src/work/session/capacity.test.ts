import { describe, expect, it } from "vitest";
import { freeCapacity, type SlotUser } from "./capacity.ts";

const PLACES = 1_000;

/** Lets accounts, one after the other, take all they can, and hang. */
function hang(accounts: number, transportOf: (account: number) => string): SlotUser[] {
  const taken: SlotUser[] = [];
  for (let accountId = 0; accountId < accounts; accountId++) {
    const place = { accountId, transport: transportOf(accountId) };
    for (;;) {
      const room = freeCapacity(taken, PLACES);
      const more = Math.min(room.total, room.ofAccount(accountId), room.ofTransport(place.transport));
      if (more <= 0) break;
      taken.push(...Array.from({ length: more }, () => place));
    }
  }
  return taken;
}

describe("freeCapacity", () => {
  it.each([
    { accounts: 1, transports: 1, least: 150 },
    { accounts: 9, transports: 3, least: 30 },
    { accounts: 50, transports: 3, least: 30 },
    { accounts: 500, transports: 1, least: 30 },
  ])(
    "leaves an account with another messenger its share beside $accounts accounts hanging on $transports transports",
    (one) => {
      const taken = hang(one.accounts, (account) => `t${account % one.transports}`);
      const room = freeCapacity(taken, PLACES);
      expect(Math.min(room.ofAccount(-1), room.ofTransport("other"), room.total)).toBeGreaterThanOrEqual(
        one.least,
      );
    },
  );

  it("lets one account alone have a fifth", () => {
    expect(hang(1, () => "t")).toHaveLength(200);
  });

  it("lets one transport alone have a half", () => {
    expect(hang(500, () => "t")).toHaveLength(500);
  });

  it("gives the last slot to an account without one", () => {
    const taken = Array.from({ length: PLACES - 1 }, (_, accountId) => ({ accountId, transport: "t" }));
    const room = freeCapacity(taken, PLACES);
    expect([room.total, room.ofAccount(-1), room.ofAccount(1)]).toEqual([1, 1, 0]);
  });

  it("gives nothing if all slots are used", () => {
    const taken = Array.from({ length: PLACES }, (_, accountId) => ({ accountId, transport: "t" }));
    const room = freeCapacity(taken, PLACES);
    expect([room.total, room.ofAccount(-1), room.ofTransport("other")]).toEqual([0, 0, 0]);
  });
});
