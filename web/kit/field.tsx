import { useId, useState } from "preact/hooks";
import { dictionary, type TextsOf } from "./i18n.ts";
import { Icon } from "./icon.tsx";

const words = dictionary(
  {
    en: { show: "Show what is typed", hide: "Hide what is typed", optional: "optional" },
    ru: { show: "Показать введённое", hide: "Скрыть введённое", optional: "необязательно" },
  },
  "field",
);
export type FieldTexts = TextsOf<typeof words>;

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string | undefined;
  /** The error of the value; announced when it appears. */
  readonly error?: string | undefined;
  readonly secret?: boolean;
  readonly required?: boolean;
  readonly inputMode?: "text" | "numeric" | "tel";
  readonly autoComplete?: string;
}

/** One line of text with its label, hint and error. */
export function Field(props: FieldProps) {
  const id = useId();
  const [shown, setShown] = useState(false);
  const { label, name, value, hint, error, secret = false, required = true } = props;
  const described = [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`];
  const type = secret && !shown ? ({ type: "password" } as const) : ({ type: "text" } as const);
  return (
    <div class="grid gap-1">
      <label for={id} class="font-semibold">
        {label}
        {!required && <span class="font-normal text-dim"> · {words.value.optional}</span>}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="text-sm text-dim">
          {hint}
        </p>
      )}
      <span class="relative flex">
        <input
          id={id}
          name={name}
          {...type}
          value={value}
          class={`min-h-11 w-full rounded-md border bg-bg px-3 py-2 ${secret ? "pr-12" : ""} ${error === undefined ? "border-edge" : "border-bad outline-bad"}`}
          inputMode={props.inputMode ?? "text"}
          autoComplete={props.autoComplete ?? "off"}
          autoCapitalize="none"
          spellcheck={false}
          required={required}
          aria-invalid={error !== undefined}
          aria-describedby={described.join(" ").trim() || undefined}
          onInput={(event) => props.onInput(event.currentTarget.value)}
        />
        {secret && (
          <button
            type="button"
            class="absolute inset-y-0 right-0 grid w-11 place-items-center rounded-md text-dim"
            aria-label={shown ? words.value.hide : words.value.show}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
          >
            <Icon name="eye" />
          </button>
        )}
      </span>
      <p id={`${id}-error`} role="alert" class="text-sm font-semibold text-bad empty:hidden">
        {error}
      </p>
    </div>
  );
}
