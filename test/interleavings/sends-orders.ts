import { afterAll, beforeAll } from "vitest";
import type { Core } from "../../src/core/core.ts";
import { startNode, type TestNode } from "../api/kit/service.ts";
import { startTestDatabase, type TestDatabase } from "../kit/database.ts";
import { type Actor, explore } from "./explorer.ts";
import { type SendingNode, SendsWorld } from "./sends-world.ts";

export interface SendsStory {
  readonly actors: readonly Actor[];
  /** Called before the remaining messages are sent. */
  afterwards?(): Promise<unknown>;
  /** A request may have left without a known result. */
  readonly mayBeUnknown?: boolean;
  /** The messages may be deleted with their channel: only what webhooks say of them is checked. */
  readonly mayBeDeleted?: boolean;
  /** The node that sends the remaining messages. */
  readonly heir: () => SendingNode | Promise<SendingNode>;
  /** Checks the results of the messages, beside what must hold in every case. */
  check?(outcomes: Readonly<Record<string, string>>): Promise<void> | void;
}

interface Options {
  readonly interruptions?: number;
  readonly loses?: number;
  readonly resend?: SendsWorld["resend"];
}

/** Runs a story in every order of its statements, each time in a new account. Returns the number of orders. */
type Orders = (tell: (world: SendsWorld) => Promise<SendsStory>, options?: Options) => Promise<number>;

let accounts = 40_000_000;

/** A database and a core for the tests of the file that calls it. */
export function exploreSends(): { readonly everyOrder: Orders; readonly core: () => Core } {
  let database: TestDatabase;
  let service: TestNode;
  beforeAll(async () => {
    database = await startTestDatabase();
    service = await startNode({ database });
  });
  afterAll(async () => {
    await service.stop();
    await database.stop();
  });
  const everyOrder: Orders = (tell, { resend, ...limits } = {}) =>
    explore(database.connection, {
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
