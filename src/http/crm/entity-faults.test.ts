import { expect, test } from "vitest";
import { entityFaults } from "./entity-faults.ts";

const fault = (
  instancePath: string,
  keyword = "type",
  params: Record<string, unknown> = { type: "string" },
) => ({
  instancePath,
  keyword,
  params,
  schemaPath: "",
  message: "",
});
const missing = (path: string, name: string) => fault(path, "required", { missingProperty: name });
const tooMany = (path: string) => fault(path, "maxItems", { limit: 100 });
const told = (...errors: ReturnType<typeof fault>[]) => {
  const { code, data } = entityFaults("INVALID_USERS_DATA")(errors);
  return [code, data];
};

test.each([
  ["", ""],
  ["/users", "users"],
])("entities under %j, by index, each field once", (base) => {
  expect(
    told(
      fault(`${base}/10/name`),
      missing(`${base}/2`, "id"),
      fault(`${base}/2/data/0/chat`),
      fault(`${base}/10/name`, "maxLength", { limit: 5 }),
      missing(`${base}/2/data/1`, "type"),
      fault(`${base}/3`),
    ),
  ).toEqual([
    "INVALID_USERS_DATA",
    [
      { index: 2, fields: ["id", "data[0].chat", "data[1].type"] },
      { index: 3, fields: [] },
      { index: 10, fields: ["name"] },
    ],
  ]);
});

test.each([[""], ["/users"]])("every invalid entity under %j, each with a hundred fields at most", (base) => {
  const errors = Array.from({ length: 100 }, (_, index) =>
    Array.from({ length: 150 }, (_, chat) => fault(`${base}/${index}/data/${chat}`)),
  ).flat();
  const fields = Array.from({ length: 100 }, (_, chat) => `data[${chat}]`);
  expect(told(...errors)).toEqual([
    "INVALID_USERS_DATA",
    Array.from({ length: 100 }, (_, index) => ({ index, fields })),
  ]);
});

test("an unknown field of the request that is spelled like an entity is an error of the request", () => {
  const unknown = fault("", "additionalProperties", { additionalProperty: "users[3]" });
  expect(told(unknown)).toEqual([
    "VALIDATION_ERROR",
    { fields: [{ field: "users[3]", message: "is not a known field" }] },
  ]);
});

test.each([[""], ["/users"]])("too many under %j, whatever else is wrong", (base) => {
  expect(told(fault(`${base}/0/name`), tooMany(base))).toEqual(["TOO_MANY_ENTITIES", undefined]);
});

test("a list that is too long inside an entity is an error of that entity", () => {
  expect(told(tooMany("/4/data"))).toEqual(["INVALID_USERS_DATA", [{ index: 4, fields: ["data"] }]]);
});

test.each([
  [fault("", "type", { type: "array" }), "body", "must be an array"],
  [missing("", "users"), "users", "is required"],
  [fault("", "additionalProperties", { additionalProperty: "more" }), "more", "is not a known field"],
])("errors outside an entity: %#", (error, field, message) => {
  expect(told(error, fault("/0/name"))).toEqual(["VALIDATION_ERROR", { fields: [{ field, message }] }]);
});
