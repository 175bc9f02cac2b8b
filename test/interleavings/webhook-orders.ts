import { afterAll, beforeAll, expect } from "vitest";
import { pauseReceiver, resumeReceiver } from "../../src/core/delivery/receiver/pause.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";
import { type Actor, type Explorer, openExplorer } from "./explorer.ts";
import { chatOf, FLUSHED, World } from "./world.ts";

export interface Story {
  readonly actors: readonly Actor[];
  /** Called after everything was delivered. */
  check(): Promise<void> | void;
}

/**
 * Runs in every order, each time in a new account; with `loses` also with each response that the first actor can lose. Returns
 * the number of orders.
 */
type Orders = (
  story: (world: World) => Promise<Story>,
  options?: { readonly loses?: number; readonly interruptions?: number },
) => Promise<number>;

let accounts = 30_000_000;

/** Provides a database for the tests of the calling file. */
export function exploreWebhooks(): { readonly everyOrder: Orders; readonly db: () => Database } {
  let database: TestDatabase;
  let db: Database;
  let explorer: Explorer;
  beforeAll(async () => {
    database = await startTestDatabase();
    db = openDatabase({ connection: database.connection, log: quietLog, applicationName: "test" });
    await db.query(FLUSHED);
    explorer = await openExplorer(database.connection);
  });
  afterAll(async () => {
    await explorer.close();
    await db.close();
    await database.stop();
  });
  const everyOrder: Orders = async (story, { loses = 0, interruptions } = {}) => {
    let orders = 0;
    for (let lost = -1; lost < loses; lost++)
      orders += await explorer.explore({
        ...(lost < 0 ? {} : { loses: lost }),
        ...(interruptions === undefined ? {} : { interruptions }),
        prepare: async () => {
          await db.query("insert into accounts (id, name) values ($1, 'Test')", [++accounts]);
          const world = new World(db, accounts);
          const { actors, check } = await story(world);
          return {
            actors,
            check: async () => {
              await world.finish();
              await check();
            },
          };
        },
      });
    return orders;
  };
  return { everyOrder, db: () => db };
}

export const pause =
  ({ accountId }: World, endpointId: string): Actor =>
  (steps) =>
    steps.tx((tx) => pauseReceiver(tx, { accountId, endpointId }, "failing", ""));
export const resume =
  ({ accountId }: World, endpointId: string): Actor =>
  (steps) =>
    steps.tx((tx) => resumeReceiver(tx, { accountId, endpointId }));

/** What the receiver got, and should have, of each chat in order. */
export async function expectInOrder(world: World, receiver: string): Promise<void> {
  const byChat = (subjects: readonly string[]) => Object.fromEntries(Map.groupBy(subjects, chatOf));
  expect(byChat(world.of(receiver))).toEqual(byChat(await world.published()));
}

/** A world in which "a" was refused, "x" of another chat accepted, and "a" is accepted from now on. */
export async function withDivertedChat(world: World): Promise<string> {
  const receiver = await world.addReceiver();
  await world.publish("a", "x")(world.db as never);
  world.refuse("a", 2);
  await world.deliver(3)(world.db as never);
  expect(world.of(receiver)).toEqual(["x"]);
  return receiver;
}
