import { expect, test } from "vitest";
import { snakeCase, withCamelKeys, withSnakeKeys } from "./snake-case.ts";

test.each([
  [{}, {}],
  [
    { id: "aB", responsibleUserId: "u_x" },
    { id: "aB", responsible_user_id: "u_x" },
  ],
  [
    { contactData: [{ chatId: "1" }, { chatId: null }] },
    { contact_data: [{ chat_id: "1" }, { chat_id: null }] },
  ],
  [
    ["aB", { closed: false }],
    ["aB", { closed: false }],
  ],
])("%j is %j, and back", (camel, snake) => {
  expect(withSnakeKeys(camel)).toEqual(snake);
  expect(withCamelKeys(snake)).toEqual(camel);
});

test("paths", () => {
  expect(snakeCase("contactData[0].chatId")).toBe("contact_data[0].chat_id");
});
