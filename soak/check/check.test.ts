import { describe, expect, test } from "vitest";
import type { Facts, Outbound, Rule, Status } from "./facts.ts";
import { checkInbound } from "./inbound.ts";
import { certainOrder } from "./order.ts";
import { checkLateSends, checkOutbound } from "./outbound.ts";

const status = (name: string, place: number, error?: string): Status => ({ status: name, place, error });

function outbound(number: number, changes: Partial<Outbound> = {}): Outbound {
  return {
    text: `r1 c1 a ${number}`,
    accepted: true,
    requests: 1,
    ids: [`id-${number}`],
    statuses: [status("sent", 10 * number), status("delivered", 10 * number + 1)],
    echoes: 0,
    edit: null,
    ...changes,
  };
}

const told = (text: string, messageId = text) => ({ text, messageId });

/** A conversation in which all is well. */
const WELL: Facts = {
  name: "r1 c1",
  isIdempotent: false,
  clients: [[outbound(1), outbound(2)], []],
  shown: ["r1 c1 a 1", "r1 c1 a 2"],
  taken: ["r1 c1 a 1", "r1 c1 a 2"],
  written: ["r1 c1 write 1", "r1 c1 write 2"],
  ordered: ["r1 c1 write 1", "r1 c1 write 2"],
  told: [told("r1 c1 write 1"), told("r1 c1 write 2")],
};

/** The same with other first messages of the first client. */
const withMessages = (...messages: Outbound[]): Partial<Facts> => ({ clients: [messages] });
const lost: Outbound = outbound(2, { accepted: false, ids: [], statuses: [] });
const failed = (code: string): Outbound => outbound(2, { statuses: [status("error", 20, code)] });

describe("the check of a conversation", () => {
  const rulesOf = (changes: Partial<Facts>): Rule[] => {
    const facts = { ...WELL, ...changes };
    return [...checkOutbound(facts), ...checkInbound(facts)].map(({ rule }) => rule);
  };

  test.each<[string, Partial<Facts>]>([
    ["all is well", {}],
    [
      "a message without an answer did not arrive",
      { ...withMessages(outbound(1), lost), shown: ["r1 c1 a 1"], taken: ["r1 c1 a 1"] },
    ],
    [
      "a message without an answer arrived after a later one",
      {
        ...withMessages(outbound(1, { accepted: false, statuses: [status("sent", 30)] }), outbound(2)),
        taken: ["r1 c1 a 2", "r1 c1 a 1"],
      },
    ],
    [
      "an unknown outcome is told, and the message arrived",
      withMessages(outbound(1), failed("UNKNOWN_ERROR")),
    ],
    [
      "an unknown outcome is told, and the message did not arrive",
      { ...withMessages(outbound(1), failed("UNKNOWN_ERROR")), shown: ["r1 c1 a 1"], taken: ["r1 c1 a 1"] },
    ],
    [
      "a message of unknown outcome arrived, and is stored as the owner's, too",
      withMessages(outbound(1), outbound(2, { statuses: [status("error", 20, "UNKNOWN_ERROR")], echoes: 1 })),
    ],
    [
      "an edit without an answer is not shown",
      withMessages(
        outbound(1, { edit: { text: "r1 c1 a 1 edited", accepted: false, told: false } }),
        outbound(2),
      ),
    ],
    [
      "an edit without an answer is told as one made in the messenger",
      withMessages(
        outbound(1, {
          edit: { text: "r1 c1 a 1 edited", accepted: false, told: false },
          statuses: [status("sent", 10), status("edited", 11)],
        }),
        outbound(2),
      ),
    ],
    [
      "an edit is shown and told",
      {
        ...withMessages(
          outbound(1, { edit: { text: "r1 c1 a 1 edited", accepted: true, told: true } }),
          outbound(2),
        ),
        shown: ["r1 c1 a 1 edited", "r1 c1 a 2"],
      },
    ],
    ["the order of two texts is not certain", { ordered: ["r1 c1 write 2"] }],
  ])("finds nothing where %s", (_, changes) => {
    expect(rulesOf(changes)).toEqual([]);
  });

  test.each<[string, Partial<Facts>, Rule]>([
    [
      "an accepted message is not stored",
      withMessages(outbound(1), { ...lost, accepted: true }),
      "accepted is stored",
    ],
    [
      "a message has no outcome",
      withMessages(outbound(1), outbound(2, { statuses: [] })),
      "accepted has an outcome",
    ],
    [
      "a message that was told to be sent is not there",
      { shown: ["r1 c1 a 1"], taken: ["r1 c1 a 1"] },
      "sent once",
    ],
    ["a message arrived twice", { shown: ["r1 c1 a 1", "r1 c1 a 2", "r1 c1 a 2"] }, "sent once"],
    [
      "a message arrived once for each request",
      {
        ...withMessages(outbound(1), outbound(2, { requests: 2 })),
        shown: ["r1 c1 a 1", "r1 c1 a 2", "r1 c1 a 2"],
      },
      "sent once per request",
    ],
    [
      "a message of unknown outcome arrived twice",
      {
        ...withMessages(outbound(1), failed("UNKNOWN_ERROR")),
        shown: ["r1 c1 a 1", "r1 c1 a 2", "r1 c1 a 2"],
      },
      "sent once",
    ],
    ["a message that was not stored arrived", withMessages(outbound(1), lost), "arrived is stored"],
    ["a message is stored twice", withMessages(outbound(1), outbound(2, { ids: ["x", "y"] })), "sent once"],
    [
      "a message whose outcome is known is stored as the owner's, too",
      withMessages(outbound(1), outbound(2, { echoes: 1 })),
      "echoed once",
    ],
    ["a message arrived that nobody wrote", { shown: [...WELL.shown, "r1 c1 a 3"] }, "sent once"],
    [
      "a message ended as another error",
      withMessages(outbound(1), failed("GENERAL_ERROR")),
      "unknown is an error",
    ],
    [
      "an outcome is unknown where the messenger recognises repetitions",
      { isIdempotent: true, ...withMessages(outbound(1), failed("UNKNOWN_ERROR")) },
      "unknown is an error",
    ],
    [
      "a message has two outcomes",
      withMessages(
        outbound(1),
        outbound(2, { statuses: [status("sent", 20), status("error", 21, "UNKNOWN_ERROR")] }),
      ),
      "one outcome",
    ],
    [
      "an edit that was answered is told as one made in the messenger",
      {
        ...withMessages(
          outbound(1, {
            edit: { text: "r1 c1 a 1 edited", accepted: true, told: true },
            statuses: [status("sent", 10), status("edited", 11)],
          }),
          outbound(2),
        ),
        shown: ["r1 c1 a 1 edited", "r1 c1 a 2"],
      },
      "one outcome",
    ],
    [
      "a status falls",
      withMessages(outbound(1), outbound(2, { statuses: [status("delivered", 20), status("sent", 21)] })),
      "one outcome",
    ],
    ["messages changed places", { taken: ["r1 c1 a 2", "r1 c1 a 1"] }, "order at the messenger"],
    [
      "outcomes changed places",
      withMessages(outbound(1), outbound(2, { statuses: [status("sent", 5)] })),
      "order of statuses",
    ],
    [
      "an edit that was accepted is not shown",
      withMessages(
        outbound(1, { edit: { text: "r1 c1 a 1 edited", accepted: true, told: true } }),
        outbound(2),
      ),
      "edited",
    ],
    [
      "an edit was not told",
      {
        ...withMessages(
          outbound(1, { edit: { text: "r1 c1 a 1 edited", accepted: true, told: false } }),
          outbound(2),
        ),
        shown: ["r1 c1 a 1 edited", "r1 c1 a 2"],
      },
      "edited",
    ],
    ["what a person wrote was not told", { told: [told("r1 c1 write 1")] }, "told"],
    ["something was told that nobody wrote", { told: [...WELL.told, told("r1 c1 write 3")] }, "told"],
    [
      "a text was told as two messages",
      { told: [...WELL.told, told("r1 c1 write 2", "another id")], ordered: [] },
      "told once",
    ],
    [
      "what was told changed places",
      { told: [told("r1 c1 write 2"), told("r1 c1 write 1")] },
      "order of what is told",
    ],
  ])("finds that %s", (_, changes, rule) => {
    expect(rulesOf(changes)).toEqual([rule]);
  });
});

test.each<[string, Status, string[], number, Rule[]]>([
  ["of unknown outcome", status("error", 5, "UNKNOWN_ERROR"), ["r1 c1 a 2", "r1 c1 a 1"], 1, []],
  ["that was sent", status("sent", 5), ["r1 c1 a 2", "r1 c1 a 1"], 0, ["order at the messenger"]],
  ["in time, of unknown outcome", status("error", 5, "UNKNOWN_ERROR"), ["r1 c1 a 1", "r1 c1 a 2"], 0, []],
])(
  "only sends of unknown outcome may be late, one for each freeze: a message %s",
  (_, first, taken, late, rules) => {
    const facts = { ...WELL, ...withMessages(outbound(1, { statuses: [first] }), outbound(2)), taken };
    expect(checkLateSends([facts], 0)).toHaveLength(late);
    expect(checkLateSends([facts, facts], 1)).toHaveLength(2 * late);
    expect(checkLateSends([facts], 1)).toEqual([]);
    expect(checkOutbound(facts).map(({ rule }) => rule)).toEqual(rules);
  },
);

test("the order of callbacks is certain where the first attempt was taken", () => {
  const attempt = (body: string, taken: boolean) => ({ body, taken });
  const attempts = [
    attempt('{"body":"r1 c1 write 1"}', true),
    attempt('{"body":"r1 c2 write 1"}', true),
    attempt('{"body":"r1 c1 write 2"}', false),
    attempt('{"body":"r1 c1 echo 3"}', true),
    attempt('{"body":"r1 c1 write 2"}', true),
    attempt('{"body":"r1 c1 write 1"}', true),
  ];
  const texts = ["r1 c1 write 1", "r1 c1 write 2", "r1 c1 echo 3"];
  expect(certainOrder(texts, attempts)).toEqual(["r1 c1 write 1", "r1 c1 echo 3"]);
});
