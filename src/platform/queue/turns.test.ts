import { expect, it } from "vitest";
import { Turns } from "./turns.ts";

/** Starts tasks that end on command, and records the order in which they start. */
function build(maxConcurrent: () => number, countsForMs = 60_000) {
  const turns = new Turns({ maxConcurrent, countsForMs });
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const run = (name: string, owner = name): Promise<string> => {
    const end = Promise.withResolvers<void>();
    ends.set(name, end);
    return turns.run(owner, async () => {
      started.push(name);
      await end.promise;
      return name;
    });
  };
  return { started, run, end: (name: string) => ends.get(name)?.resolve(), ends };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("limits concurrent tasks, and alternates between owners", async () => {
  const { started, run, end } = build(() => 1);
  const all = [run("a1", "a"), run("a2", "a"), run("a3", "a"), run("b1", "b")];
  await settled();
  expect(started).toEqual(["a1"]);
  for (const name of ["a1", "a2", "b1", "a3"]) {
    end(name);
    await settled();
  }
  expect(await Promise.all(all)).toEqual(["a1", "a2", "a3", "b1"]);
  expect(started).toEqual(["a1", "a2", "b1", "a3"]);
});

it("continues after a failed task, which rejects with its own error", async () => {
  const { run, end, ends, started } = build(() => 1);
  const failing = run("first");
  const second = run("second");
  ends.get("first")?.reject(new Error("broken"));
  await expect(failing).rejects.toThrow("broken");
  end("second");
  await second;
  expect(started).toEqual(["first", "second"]);
});

it("starts another task beside one that takes too long", async () => {
  const { run, end, started } = build(() => 1, 5);
  const slow = run("slow");
  const next = run("next");
  end("next");
  await next;
  expect(started).toEqual(["slow", "next"]);
  const [third, fourth] = [run("third"), run("fourth")];
  end("slow");
  await slow;
  await settled();
  // The end of the slow one makes no second room.
  expect(started).toEqual(["slow", "next", "third"]);
  end("third");
  end("fourth");
  await Promise.all([third, fourth]);
});

it("reads the limit each time", async () => {
  let limit = 1;
  const { run, end, started } = build(() => limit);
  const all = ["a", "b", "c", "d"].map((name) => run(name));
  await settled();
  limit = Number.POSITIVE_INFINITY;
  end("a");
  await settled();
  expect(started).toEqual(["a", "b", "c", "d"]);
  for (const name of ["b", "c", "d"]) end(name);
  await Promise.all(all);
});
