import { Sweeper, type SweeperOptions } from "../../../src/work/upkeep/sweeper.ts";

/** The upkeep of a node with the default retention. */
export function sweeperOf({ core }: Pick<SweeperOptions, "core">): Sweeper {
  return new Sweeper({ core, eventRetentionDays: 30, auditRetentionDays: 365, fileRetentionDays: 30 });
}
