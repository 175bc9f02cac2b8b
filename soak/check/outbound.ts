import { lateSends } from "../../test/kit/late-sends.ts";
import { type Facts, type Outbound, originalOf, type Rule, type Violation } from "./facts.ts";
import { firstOutOfOrder } from "./order.ts";

const RANKS = ["sent", "delivered", "read"];

/**
 * Every accepted message was sent once, or ended as an error if the outcome cannot be known; nothing else was sent; each
 * client's accepted messages kept their order, at the messenger (but see `checkLateSends`) and in the statuses. Pure.
 */
export function checkOutbound(facts: Facts): Violation[] {
  const messages = facts.clients.flat();
  const known = new Set(messages.map(({ text }) => text));
  const strangers = facts.shown.filter((text) => !known.has(originalOf(text)));
  return [
    ...messages.flatMap((message) => checkMessage(facts, message)),
    ...strangers.map((text) => violation(facts, "sent once", `"${text}" arrived, and nobody wrote it`)),
    ...facts.clients.flatMap((client) => checkOrder(facts, client)),
  ];
}

/** All late sends of a round, if there are more than its freezes of sending processes excuse. Pure. */
export function checkLateSends(round: readonly Facts[], freezes: number): Violation[] {
  const late = round.flatMap((facts) =>
    facts.clients.flatMap((client) =>
      arrivalsOf(facts, client).late.map(({ text }) =>
        violation(facts, "order at the messenger", `"${text}", of unknown outcome, arrived after later ones`),
      ),
    ),
  );
  return late.length > freezes ? late : [];
}

interface Arrival {
  readonly text: string;
  /** In the order of writing. */
  readonly place: number;
  readonly isUnknown: boolean;
}

/**
 * The client's messages whose order is certain. A request without a response may take effect later: PostgreSQL executes
 * the statement of a node that has died meanwhile.
 */
function inCertainOrder(client: readonly Outbound[]): readonly Outbound[] {
  return client.filter(({ accepted }) => accepted);
}

/** The client's messages that arrived, in that order; late sends apart. */
function arrivalsOf({ taken }: Facts, client: readonly Outbound[]): { inTime: Arrival[]; late: Arrival[] } {
  const written = new Map(
    inCertainOrder(client).map(({ text, statuses }, place) => [
      text,
      { text, place, isUnknown: statuses[0]?.error === "UNKNOWN_ERROR" },
    ]),
  );
  const arrived = taken.flatMap((text) => written.get(text) ?? []);
  const late = lateSends(arrived, {
    placeOf: ({ place }) => place,
    isUnknown: ({ isUnknown }) => isUnknown,
  });
  return { inTime: arrived.filter((arrival) => !late.includes(arrival)), late };
}

function violation({ name }: Facts, rule: Rule, what: string, mayCome = false): Violation {
  return { conversation: name, rule, what, mayCome };
}

function checkMessage(facts: Facts, message: Outbound): Violation[] {
  const { text, accepted, ids, statuses } = message;
  const copies = facts.shown.filter((shown) => originalOf(shown) === text).length;
  if (copies > 1)
    return [violation(facts, ruleOfCopies(message, copies), `"${text}" arrived ${copies} times`)];
  if (ids.length > 1)
    return [violation(facts, "sent once", `"${text}" was stored ${ids.length} times: ${ids.join(", ")}`)];
  if (ids.length === 0 && accepted)
    return [violation(facts, "accepted is stored", `"${text}" was answered with 2xx and is not stored`)];
  if (ids.length === 0)
    return copies === 0 ? [] : [violation(facts, "arrived is stored", `"${text}" arrived and is not stored`)];
  const outcome = statuses[0];
  if (outcome === undefined)
    return [violation(facts, "accepted has an outcome", `no status of "${text}" (${ids[0]}) was told`, true)];
  return [
    ...checkStatuses(facts, message),
    ...checkOutcome(facts, message, copies),
    ...checkEchoes(facts, message),
    ...checkEdit(facts, message),
  ];
}

/** Only a repetition whose first request was lost can explain them. */
function ruleOfCopies({ requests }: Outbound, copies: number): Rule {
  return copies <= requests ? "sent once per request" : "sent once";
}

function checkStatuses(facts: Facts, { text, statuses, edit }: Outbound): Violation[] {
  // An edit without a response may have taken effect; the service then learns of it from the messenger.
  const mayBeEdited = edit !== null && !edit.accepted;
  const told = statuses.map(({ status }) => status).filter((status) => status !== "edited" || !mayBeEdited);
  const ranks = told.map((status) => RANKS.indexOf(status));
  const rises = ranks.every((rank, at) => rank >= 0 && rank > (ranks[at - 1] ?? -1));
  const failed = told.length === 1 && told[0] === "error";
  if (failed || (rises && told[0] === "sent")) return [];
  return [violation(facts, "one outcome", `"${text}" was told to be ${told.join(", then ")}`)];
}

function checkOutcome(facts: Facts, { text, statuses }: Outbound, copies: number): Violation[] {
  const failed = statuses.find(({ status }) => status === "error");
  if (failed === undefined)
    return copies === 1
      ? []
      : [violation(facts, "sent once", `"${text}" was told to be sent and is not there`, true)];
  if (failed.error === "UNKNOWN_ERROR" && !facts.isIdempotent) return [];
  return [
    violation(
      facts,
      "unknown is an error",
      `"${text}" ended as ${failed.error}; the messenger ${facts.isIdempotent ? "recognises repetitions" : "refused nothing"}`,
    ),
  ];
}

/** A message that arrived without a response has no known id, so the service treats it as an echo, once. */
function checkEchoes(facts: Facts, { text, statuses, echoes }: Outbound): Violation[] {
  const isUnknown = !facts.isIdempotent && statuses.some(({ error }) => error === "UNKNOWN_ERROR");
  if (echoes <= (isUnknown ? 1 : 0)) return [];
  return [violation(facts, "echoed once", `"${text}" was also stored ${echoes} times as the owner's`)];
}

function checkEdit(facts: Facts, { text, edit }: Outbound): Violation[] {
  if (edit?.accepted !== true) return [];
  if (!facts.shown.includes(edit.text))
    return [violation(facts, "edited", `the edit of "${text}" was answered with 2xx and is not shown`)];
  if (!edit.told) return [violation(facts, "edited", `the edit of "${text}" was not told`, true)];
  return [];
}

function checkOrder(facts: Facts, client: readonly Outbound[]): Violation[] {
  const late = firstOutOfOrder(arrivalsOf(facts, client).inTime, ({ place }) => place);
  const outcomes = inCertainOrder(client).filter(({ statuses }) => statuses.length > 0);
  const told = firstOutOfOrder(outcomes, ({ statuses }) => statuses[0]?.place ?? 0);
  return [
    ...(late === null
      ? []
      : [violation(facts, "order at the messenger", `"${late[1].text}" arrived after "${late[0].text}"`)]),
    ...(told === null
      ? []
      : [
          violation(
            facts,
            "order of statuses",
            `the outcome of "${told[1].text}" was told before that of "${told[0].text}"`,
          ),
        ]),
  ];
}
