import { batch, type Signal, signal } from "@preact/signals";
import { type Locale, locale, sharedTexts } from "./i18n.ts";

/** The texts of a page in any language; every language has the keys and arguments of English. */
export type Wide<Texts> = Texts extends string
  ? string
  : Texts extends (...args: never[]) => string
    ? Texts
    : { readonly [Key in keyof Texts]: Wide<Texts[Key]> };

interface Loaded<Texts, Kit> {
  readonly texts: Texts;
  /** Of shared components; null: they have their own in this language. */
  readonly kit: Kit | null;
}
export type TextLoaders<Texts, Kit> = Readonly<Record<Locale, () => Promise<Loaded<Texts, Kit>>>>;

interface LoadedTexts<Texts> {
  readonly texts: Signal<Texts | null>;
  /** Loads only the reader's language. Idempotent. */
  load(of?: Locale): Promise<void>;
  /** Only for what is rendered after they are loaded. */
  part<Key extends keyof Texts>(key: Key): { readonly value: Texts[Key] };
}

/** Texts of a page with one file for each language. */
export function loadedTexts<Texts extends object, Kit extends object>(
  loaders: TextLoaders<Texts, Kit>,
): LoadedTexts<Texts> {
  const texts = signal<Texts | null>(null);
  return {
    texts,
    async load(of = locale.value) {
      const loaded = await loaders[of]();
      batch(() => {
        texts.value = loaded.texts;
        sharedTexts.value = loaded.kit && { ...sharedTexts.value, ...loaded.kit };
      });
    },
    part: (key) => ({
      get value() {
        if (texts.value === null) throw new Error("The texts are not loaded yet");
        return texts.value[key];
      },
    }),
  };
}
