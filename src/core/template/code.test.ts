import { describe, expect, it } from "vitest";
import { slotsOf } from "../transport/template.ts";
import { parseTemplateCode, templateCodeOf } from "./code.ts";

const ID = "0b7e6f0e-8f6f-4c52-8d0e-3f1a5b9d2c77";

describe("parseTemplateCode", () => {
  it.each<[string, readonly string[]]>([
    [`@template: ${ID} { [[Ann]]; [[12:30]] }`, ["Ann", "12:30"]],
    [`@template:${ID}{[[Ann]]}`, ["Ann"]],
    [`  @template: ${ID} { [[ Ann ]] ; [[a; b]]; } `, ["Ann", "a; b"]],
    [`@template: ${ID} { [[two\nlines]] }`, ["two\nlines"]],
    [`@template: ${ID} { [[]] }`, [""]],
    [`@template: ${ID} { }`, []],
    [`@template: ${ID.toUpperCase()} {}`, []],
  ])("%j", (text, values) => expect(parseTemplateCode(text)).toEqual({ id: ID, values }));

  it.each([
    "hello",
    `@template: ${ID}`,
    `@template: ${ID.slice(1)} { }`,
    `see @template: ${ID} { }`,
    `@template: ${ID} { } thanks`,
    `@template: ${ID} { Ann }`,
    `@template: ${ID} { [[Ann]], [[Bob]] }`,
  ])("%j is ordinary text", (text) => expect(parseTemplateCode(text)).toBeNull());

  it("is linear in the text's length", () => {
    const text = `@template: ${ID} {${"[[".repeat(100_000)}`;
    const began = performance.now();
    expect(parseTemplateCode(`${text}}`)).toBeNull();
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

it("a template's code names each of its values, and can be parsed again", () => {
  const components = [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "Hi {{name}}, your order {{number}}" },
    { type: "BUTTONS", buttons: [{ type: "URL", url: "https://x.example/{{1}}" }] },
  ];
  const code = templateCodeOf(ID, { components });
  expect(code).toBe(`@template: ${ID} { [[image]]; [[name]]; [[number]]; [[url]] }`);
  expect(parseTemplateCode(code)?.values).toHaveLength(slotsOf(components).length);
});
