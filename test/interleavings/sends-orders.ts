import { afterAll, beforeAll } from "vitest";
import type { Core } from "../../src/core/core.ts";
import { startNode, type TestNode } from "../api/kit/service.ts";
import { startTestDatabase, type TestDatabase } from "../kit/database.ts";
import { type Actor, type Explorer, openExplorer } from "./explorer.ts";
import { type SendingNode, SendsWorld } from "./sends-world.ts";

export interface SendsStory {
  readonly actors: readonly Actor[];
  /** Called before the remaining messages are sent. */
  afterwards?(): Promise<unknown>;
  /** A request may have been sent without a known outcome. */
  readonly mayBeUnknown?: boolean;
  /** The messages may be deleted with their channel: only their webhooks are checked. */
  readonly mayBeDeleted?: boolean;
  /** The node that sends the remaining messages. */
  readonly heir: () => SendingNode | Promise<SendingNode>;
  /** Checks the outcomes of the messages, in addition to the invariants. */
  check?(outcomes: Readonly<Record<string, string>>): Promise<void> | void;
}

interface Options {
  readonly interruptions?: number;
  readonly loses?: number;
  readonly resend?: SendsWorld["resend"];
}

/** Runs a scenario in every order of its statements, each time in a new account. Returns the number of orders. */
type Orders = (tell: (world: SendsWorld) => Promise<SendsStory>, options?: Options) => Promise<number>;

let accounts = 40_000_000;

/** Provides a database and a core for the tests of the calling file. */
export function exploreSends(): { readonly everyOrder: Orders; readonly core: () => Core } {
  let database: TestDatabase;
  let service: TestNode;
  let explorer: Explorer;
  beforeAll(async () => {
    database = await startTestDatabase();
    service = await startNode({ database });
    explorer = await openExplorer(database.connection);
  });
  afterAll(async () => {
    await explorer.close();
    await service.stop();
    await database.stop();
  });
  const everyOrder: Orders = (tell, { resend, ...limits } = {}) =>
    explorer.explore({
      ...limits,
      async prepare() {
        const world = await SendsWorld.build(service.core, ++accounts, resend);
        const { actors, ...story } = await tell(world);
        return { actors, check: () => checkStory(world, story) };
      },
    });
  return { everyOrder, core: () => service.core };
}

async function checkStory(world: SendsWorld, story: Omit<SendsStory, "actors">): Promise<void> {
  const { afterwards, heir, mayBeUnknown = false, mayBeDeleted = false, check } = story;
  await afterwards?.();
  await world.finish(await heir());
  await world.check({ mayBeUnknown: mayBeUnknown && world.resend === "unsafe", mayBeDeleted });
  await check?.(await world.outcomes());
}
