import { fieldTitles, guides, pairing, scanning } from "./texts/texts.ts";

/** A step whose menus may differ between phones. */
export type GuideStep = string | { readonly android: string; readonly iphone: string };
type PhoneGuides = Readonly<Record<string, readonly GuideStep[]>>;

/** Instructions for connecting a messenger; none if it has none. */
export function guideOf(transport: string): readonly string[] {
  const known: Readonly<Record<string, readonly string[]>> = guides.value;
  return known[transport] ?? [];
}

export function scanGuideOf(transport: string): readonly GuideStep[] {
  const known: PhoneGuides = scanning.value;
  return known[transport] ?? [];
}

export function pairingGuideOf(transport: string): readonly GuideStep[] {
  const known: PhoneGuides = pairing.value;
  return known[transport] ?? scanGuideOf(transport);
}

/** Title and hint of a credential; without a text in the page's language, the definition's. */
export function fieldWords(field: { name: string; title: string; description: string }): {
  title: string;
  hint: string | undefined;
} {
  const title = fieldTitles.value[field.name];
  if (title !== undefined) return { title, hint: undefined };
  return { title: field.title, hint: field.description === "" ? undefined : field.description };
}
