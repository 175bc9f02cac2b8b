/** A button that an agent adds: it opens the link, or sends its label. */
export interface DraftButton {
  readonly text: string;
  readonly url: string;
}

/** The agent's buttons, and the resulting `keyboard` of a request. */
export interface Buttons {
  readonly drafts: readonly DraftButton[];
  readonly keyboard: Record<string, unknown> | undefined;
}

export type KeyboardShape = "interactive" | "markup" | "rows";

/** The limits of each shape, as in the interface. */
export const KEYBOARD_LIMITS: Readonly<
  Record<KeyboardShape, { readonly buttons: number; readonly label: number; readonly hasLinks: boolean }>
> = {
  interactive: { buttons: 10, label: 20, hasLinks: false },
  markup: { buttons: 12, label: 64, hasLinks: true },
  rows: { buttons: 12, label: 64, hasLinks: true },
};
const MAX_CALLBACK_BYTES = 64;

/** The `keyboard` of a request; undefined without buttons. */
export function keyboardOf(
  shape: KeyboardShape,
  given: readonly DraftButton[],
  maxPayload: number | null = null,
): Record<string, unknown> | undefined {
  const buttons = given
    .map(({ text, url }) => ({ text: text.trim(), url: url.trim() }))
    .filter(({ text }) => text !== "");
  if (buttons.length === 0) return undefined;
  const payloadOf = (text: string) => (maxPayload === null ? text : text.slice(0, maxPayload));
  switch (shape) {
    case "interactive":
      return { buttons: buttons.map(({ text }) => ({ type: "text", text, payload: payloadOf(text) })) };
    case "markup":
      return {
        reply_markup: "inline",
        buttons: buttons.map(({ text, url }) => [
          url === "" ? { text, callback_data: firstBytes(payloadOf(text)) } : { text, url },
        ]),
      };
    case "rows":
      return {
        buttons: buttons.map(({ text, url }) => [
          url === "" ? { type: "callback", text, payload: payloadOf(text) } : { type: "link", text, url },
        ]),
      };
  }
}

/** The longest prefix of whole characters that fits a callback. */
function firstBytes(text: string): string {
  const encoder = new TextEncoder();
  let kept = "";
  for (const letter of text) {
    if (encoder.encode(kept + letter).length > MAX_CALLBACK_BYTES) break;
    kept += letter;
  }
  return kept;
}

/** Whether a button may be sent: links must be web addresses. */
export function isGoodButton({ text, url }: DraftButton): boolean {
  const isWeb = URL.canParse(url.trim()) && /^https?:/i.test(url.trim());
  return text.trim() !== "" && (url.trim() === "" || isWeb);
}
