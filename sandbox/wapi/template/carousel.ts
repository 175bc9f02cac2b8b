import { badParam, userError } from "../../meta/graph-error.ts";
import type { Param } from "../../meta/param.ts";
import type { TemplateCard, TemplateComponent } from "./template.ts";

// https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/marketing-templates/

const minCards = 2;
const maxCards = 10;
const maxCardBody = 160;

/** The cards of a carousel: all of the same parts, a picture or a video first, a text and one or two buttons. */
export function readCards(
  carousel: Param,
  readParts: (components: readonly Param[]) => readonly TemplateComponent[],
): readonly TemplateCard[] {
  const cards = carousel
    .only("type", "cards")
    .needList("cards")
    .map((card) => ({ components: readParts(card.only("components").needList("components")) }));
  if (cards.length < minCards || cards.length > maxCards)
    throw badParam(`Param ${carousel.placeOf("cards")} must have ${minCards} to ${maxCards} items.`);
  const [first, ...others] = cards.map(shapeOf);
  if (others.some((shape) => shape !== first))
    throw userError(2388096, "Cards differ", "All cards must have the same components and buttons.");
  for (const { components } of cards) checkCard(components);
  return cards;
}

function checkCard(components: readonly TemplateComponent[]): void {
  const [header] = components;
  if (header?.type !== "HEADER" || !["IMAGE", "VIDEO"].includes(header.format ?? ""))
    throw badParam("A card must begin with a HEADER of the format IMAGE or VIDEO.");
  const body = components.find(({ type }) => type === "BODY")?.text ?? "";
  if ([...body].length > maxCardBody)
    throw userError(
      2388040,
      "Character Limit Exceeded",
      `The field exceeds the limit of ${maxCardBody} characters.`,
    );
  const buttons = components.find(({ type }) => type === "BUTTONS")?.buttons ?? [];
  if (buttons.length < 1 || buttons.length > 2) throw badParam("A card must have 1 or 2 buttons.");
}

function shapeOf({ components }: TemplateCard): string {
  return components
    .map(({ type, format = "", buttons = [] }) =>
      [type, format, ...buttons.map((each) => each.type)].join(" "),
    )
    .join(",");
}
