import { expect, test } from "vitest";
import { type Card, type CardFields, changesOf, faultsOf } from "./fields.ts";

const CARD: Card = {
  name: "Ann",
  phone: "79001234567",
  email: "",
  comment: "",
  changed_at: null,
  changed_by: null,
};

test.each<[Partial<CardFields>, Partial<CardFields>]>([
  [{}, {}],
  [{ name: " Ann " }, {}],
  [{ name: "" }, { name: "" }],
  [
    { phone: "", email: " a@b " },
    { phone: "", email: "a@b" },
  ],
  [{ comment: "two\nlines\n" }, { comment: "two\nlines" }],
])("%j changes %j", (typed, changes) => {
  expect(changesOf(CARD, { ...CARD, ...typed })).toEqual(changes);
});

test.each<[Partial<CardFields>, string[]]>([
  [{ phone: "", email: "" }, []],
  [{ phone: "+7 (900) 123-45-67", email: "ann@shop.example" }, []],
  [{ phone: "1234" }, ["phone"]],
  [{ phone: "ask her" }, ["phone"]],
  [{ email: "ann" }, ["email"]],
  [{ phone: "12", email: "a b@c" }, ["phone", "email"]],
])("%j has faults in %j", (typed, faults) => {
  expect(faultsOf({ ...CARD, ...typed })).toEqual(faults);
});
