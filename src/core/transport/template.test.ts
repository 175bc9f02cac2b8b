import { describe, expect, it } from "vitest";
import { renderTemplate, slotsOf, type TemplateComponent } from "./template.ts";

const body = (text: string): TemplateComponent => ({ type: "BODY", text });
const header = (text: string): TemplateComponent => ({ type: "HEADER", format: "TEXT", text });
const names = (components: readonly TemplateComponent[]): string[] =>
  slotsOf(components).map((slot) =>
    slot.kind === "text"
      ? `${slot.part} ${slot.variable}`
      : slot.kind === "media"
        ? `${slot.part} ${slot.format}`
        : `button ${slot.button}`,
  );

describe("slotsOf", () => {
  it.each<[string, TemplateComponent[], string[]]>([
    ["nothing to fill in", [body("Hello"), { type: "FOOTER", text: "{{1}}" }], []],
    [
      "numbers in their order, each once",
      [body("{{2}} {{10}} {{1}} {{2}}")],
      ["body 1", "body 2", "body 10"],
    ],
    [
      "names in the order of the text",
      [body("{{last}}, {{ first }}, {{last}}")],
      ["body last", "body first"],
    ],
    ["the header first, wherever it stands", [body("{{1}}"), header("{{1}}")], ["header 1", "body 1"]],
    ["a picture above", [{ type: "HEADER", format: "IMAGE" }, body("{{1}}")], ["header IMAGE", "body 1"]],
    ["a place above", [{ type: "HEADER", format: "LOCATION" }, body("x")], []],
    [
      "an address with an end of its own",
      [
        {
          type: "BUTTONS",
          buttons: [
            { type: "QUICK_REPLY", text: "Yes" },
            { type: "URL", text: "Open", url: "https://shop.example/" },
            { type: "URL", text: "Track", url: "https://shop.example/{{1}}" },
          ],
        },
        body("{{1}}"),
      ],
      ["body 1", "button 2"],
    ],
    ["a kind of part that is not known", [{ type: "CAROUSEL", cards: [] }, body("{{1}}")], ["body 1"]],
  ])("%s", (_name, components, expected) => {
    expect(names(components)).toEqual(expected);
  });
});

describe("renderTemplate", () => {
  const components = [
    header("Order {{1}}"),
    body("Hi {{1}}, {{2}} and {{1}}"),
    { type: "FOOTER", text: "Shop" },
  ];
  it.each([
    ["all values", ["7", "Ann", "Bob"], "Order 7\nHi Ann, Bob and Ann\nShop"],
    ["too few", ["7"], "Order 7\nHi {{1}}, {{2}} and {{1}}\nShop"],
    ["a value that looks like a variable", ["{{1}}", "$&", "x"], "Order {{1}}\nHi $&, x and $&\nShop"],
  ])("%s", (_name, values, expected) => {
    expect(renderTemplate(components, values)).toBe(expected);
  });

  it("includes the texts of a carousel's cards", () => {
    const cards = [{ components: [body("Lamp {{1}}")] }, { components: [body("Chair {{1}}")] }];
    const all = [body("New: {{1}}"), { type: "CAROUSEL", cards }];
    expect(renderTemplate(all, ["light", "A", "B"])).toBe("New: light\nLamp A\nChair B");
    expect(renderTemplate(all, ["light", "A", "B"], ["HEADER"])).toBe("");
  });
});
