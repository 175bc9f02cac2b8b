import { expect, test } from "vitest";
import { Floods } from "./floods.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** Each step: when, the chat, and whether its message was accepted. */
type Steps = readonly (readonly [atMs: number, chat: string, accepted?: "accepted"])[];

/** What the last refusal means. */
function lastOf(steps: Steps) {
  let now = 0;
  const floods = new Floods(() => now);
  return steps
    .map(([at, chat, accepted]) => {
      now = at;
      if (accepted === undefined) return floods.refused(chat);
      floods.accepted(chat);
      return null;
    })
    .at(-1);
}

test.each<[string, Steps, "chat" | "channel", boolean]>([
  ["a first refusal may be the bot's rate", [[0, "ann"]], "chat", false],
  [
    "again at once, too",
    [
      [0, "ann"],
      [SECOND, "ann"],
    ],
    "chat",
    false,
  ],
  [
    "again later is a person who does not answer",
    [
      [0, "ann"],
      [10 * SECOND, "ann"],
    ],
    "chat",
    true,
  ],
  [
    "also an hour later",
    [
      [0, "ann"],
      [HOUR / 2, "ann"],
      [HOUR, "ann"],
    ],
    "chat",
    true,
  ],
  [
    "not after a message got through",
    [
      [0, "ann"],
      [SECOND, "ann", "accepted"],
      [10 * SECOND, "ann"],
    ],
    "chat",
    false,
  ],
  [
    "not after the hour that Viber counts",
    [
      [0, "ann"],
      [HOUR, "ann"],
    ],
    "chat",
    false,
  ],
  [
    "several chats at once are the bot's rate",
    [
      [0, "ann"],
      [9_000, "bob"],
      [9_500, "cid"],
      [10_000, "ann"],
    ],
    "channel",
    false,
  ],
])("%s", (_name, steps, floodScope, isUnanswered) =>
  expect(lastOf(steps)).toEqual({ floodScope, isUnanswered }),
);
