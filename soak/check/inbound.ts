import type { Facts, Rule, Violation } from "./facts.ts";
import { firstOutOfOrder } from "./order.ts";

/** Every message of a person was reported once, and in the order of writing. Pure. */
export function checkInbound(facts: Facts): Violation[] {
  const { written, told, ordered } = facts;
  const texts = new Set(told.map(({ text }) => text));
  const places = new Map(ordered.map((text, place) => [text, place]));
  const known = told.map(({ text }) => text).filter((text) => places.has(text));
  const late = firstOutOfOrder(known, (text) => places.get(text) ?? 0);
  return [
    ...written
      .filter((text) => !texts.has(text))
      .map((text) => violation(facts, "told", `"${text}" was not told`, true)),
    ...told
      .filter(({ text }) => !written.includes(text))
      .map(({ text }) => violation(facts, "told", `"${text}" was told, and nobody wrote it`)),
    ...repeated(told.map(({ text }) => text)).map((text) =>
      violation(facts, "told once", `"${text}" was told as several messages`),
    ),
    ...(late === null
      ? []
      : [violation(facts, "order of what is told", `"${late[1]}" was told after "${late[0]}"`)]),
  ];
}

function repeated(list: readonly string[]): string[] {
  return [...new Set(list.filter((text, at) => list.indexOf(text) !== at))];
}

function violation({ name }: Facts, rule: Rule, what: string, mayCome = false): Violation {
  return { conversation: name, rule, what, mayCome };
}
