import { expect, test } from "vitest";
import { inOrder } from "./in-order.ts";

test.each([
  { answers: [1, 2, 3], taken: [1, 2, 3] },
  { answers: [3, 2, 1], taken: [3] },
  { answers: [2, 1, 3], taken: [2, 3] },
  { answers: [1, 3, 2], taken: [1, 3] },
  // // The newest response never arrives: the last received one counts.
  { answers: [1, 2], taken: [1, 2] },
])("of responses $answers, $taken are used", ({ answers, taken }) => {
  const ask = inOrder();
  const questions = new Map([1, 2, 3].map((question) => [question, ask()]));
  expect(answers.filter((question) => questions.get(question)?.())).toEqual(taken);
});
