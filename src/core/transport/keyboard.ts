/** Buttons under a message in one form for all messengers; created from the request by `message/keyboard.ts`. */
export type Keyboard =
  | { readonly kind: "inline"; readonly rows: readonly (readonly InlineButton[])[] }
  | {
      readonly kind: "reply";
      readonly rows: readonly (readonly { readonly text: string }[])[];
      readonly oneTime: boolean;
      readonly resize: boolean;
      readonly selective: boolean;
    }
  | { readonly kind: "remove"; readonly selective: boolean }
  | { readonly kind: "interactive"; readonly buttons: readonly InteractiveButton[] }
  | { readonly kind: "rows"; readonly rows: readonly (readonly RowButton[])[] };

/** Exactly one of `url` and `payload`. */
export interface InlineButton {
  readonly text: string;
  readonly url?: string;
  readonly payload?: string;
}
export interface InteractiveButton {
  readonly text: string;
  readonly payload: string;
}
export interface RowButton {
  readonly type: "callback" | "link" | "message";
  readonly text: string;
  readonly payload?: string;
  readonly intent?: "default" | "positive" | "negative";
  readonly url?: string;
}
