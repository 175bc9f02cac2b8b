import { describe, expect, test } from "vitest";
import {
  type Circumstances,
  type CreationDecision,
  dealFor,
  decide,
  type KnownContact,
  type Trigger,
} from "./creation.ts";

const wrote: Trigger = { kind: "wrote" };
const replied: Trigger = { kind: "replied", userId: "eve" };
const pressed: Trigger = { kind: "pressed", userId: "eve" };

const known = (more: Partial<Circumstances> = {}): Circumstances => ({
  chatType: "telegram",
  rule: "in_turn",
  hasPipeline: true,
  hasEmployee: true,
  hasWritten: true,
  isAsked: false,
  contact: null,
  ...more,
});
const FIRST = { rule: "first_respondent" } as const;
const NOBODY = { rule: "nobody" } as const;

const lonely: KnownContact = { id: "c", responsibleUserId: null, hasDeal: false };
const bobs: KnownContact = { id: "c", responsibleUserId: "bob", hasDeal: false };
const settled: KnownContact = { id: "c", responsibleUserId: "bob", hasDeal: true };

describe("decide", () => {
  const contact = (responsible: string | null): CreationDecision => ({ entity: "contact", responsible });
  const deal = (responsible: string | null): CreationDecision => ({ entity: "deal", responsible });

  test.each<[string, Trigger, Partial<Circumstances>, CreationDecision | null]>([
    ["in turn: a new client writes", wrote, {}, contact(null)],
    ["in turn: an employee answers", replied, {}, null],
    ["first respondent: a new client writes", wrote, FIRST, null],
    ["first respondent: an employee answers", replied, FIRST, contact("eve")],
    ["first respondent: to somebody who never wrote", replied, { ...FIRST, hasWritten: false }, null],
    ["nobody: a new client writes", wrote, NOBODY, null],
    ["nobody: an employee answers", replied, NOBODY, null],
    ["by button, whatever the rule", pressed, NOBODY, contact("eve")],

    ["in turn without a funnel", wrote, { hasPipeline: false }, null],
    ["in turn without an employee for new clients", wrote, { hasEmployee: false }, null],
    ["first respondent without a funnel", replied, { ...FIRST, hasPipeline: false }, null],
    ["first respondent without an employee for new clients", replied, { ...FIRST, hasEmployee: false }, null],
    [
      "by button without funnel and employee",
      pressed,
      { hasPipeline: false, hasEmployee: false },
      contact("eve"),
    ],

    ["in turn: a contact of nobody's without a deal", wrote, { contact: lonely }, deal(null)],
    ["in turn: Bob's contact without a deal", wrote, { contact: bobs }, deal("bob")],
    ["in turn: contact and deal, open or closed", wrote, { contact: settled }, null],
    [
      "first respondent: a contact of nobody's without a deal",
      replied,
      { ...FIRST, contact: lonely },
      deal("eve"),
    ],
    ["first respondent: Bob's contact without a deal", replied, { ...FIRST, contact: bobs }, deal("bob")],
    ["first respondent: contact and deal", replied, { ...FIRST, contact: settled }, null],
    ["by button: a contact without a deal", pressed, { contact: bobs }, deal("eve")],
    ["by button: one more deal", pressed, { contact: settled }, deal("eve")],

    ["asked already: in turn", wrote, { isAsked: true }, null],
    ["asked already: first respondent", replied, { ...FIRST, isAsked: true }, null],
    ["asked already: by button", pressed, { isAsked: true }, null],

    ["a group", wrote, { chatType: "telegroup" }, null],
    ["a group, by button", pressed, { chatType: "whatsgroup" }, null],
    ["a group, first respondent", replied, { ...FIRST, chatType: "maxgroup" }, null],
  ])("%s", (_, trigger, more, wish) => expect(decide(trigger, known(more))).toEqual(wish));
});

describe("dealFor", () => {
  test.each<[string, KnownContact, "auto" | "byUser", string | null]>([
    ["a contact of nobody's goes on with whom was asked for", lonely, "auto", "eve"],
    ["a contact of Bob's stays his", bobs, "auto", "bob"],
    ["a contact with a deal gets no other", settled, "auto", null],
    ["by button it is always the one who pressed", bobs, "byUser", "eve"],
    ["by button a deal more", settled, "byUser", "eve"],
  ])("%s", (_, contact, source, userId) => {
    expect(dealFor(contact, { source, chosen: "eve" })).toBe(userId);
  });
});
