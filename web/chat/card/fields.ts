import type { Operations } from "../../kit/api/generated.ts";

export type Card = Operations["getCard"]["output"];
export type CardFields = Pick<Card, "name" | "phone" | "email" | "comment">;

export const NAMES = ["name", "phone", "email", "comment"] as const satisfies readonly (keyof CardFields)[];

/** What differs from the stored card, as the service takes it. */
export function changesOf(card: Card, typed: CardFields): Partial<CardFields> {
  return Object.fromEntries(
    NAMES.filter((name) => typed[name].trim() !== card[name]).map((name) => [name, typed[name].trim()]),
  );
}

/** The fields that the service would not take. */
export function faultsOf({ phone, email }: CardFields): ("phone" | "email")[] {
  const digits = phone.replaceAll(/[\s()+.\-\u2010-\u2015\u2212\p{Cf}]/gu, "").replace(/^00/, "");
  return [
    ...(phone.trim() === "" || /^\d{5,15}$/.test(digits) ? [] : (["phone"] as const)),
    ...(/^\s*(?:[^\s@]+@[^\s@]+)?\s*$/.test(email) ? [] : (["email"] as const)),
  ];
}
