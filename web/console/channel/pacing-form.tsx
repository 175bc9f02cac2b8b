import { useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Button } from "../../kit/button.tsx";
import { Field } from "../../kit/field.tsx";
import { Notice } from "../../kit/notice.tsx";
import { useAct } from "../state.ts";
import { pacingWords as words } from "../texts/texts.ts";

export type PacingView = Operations["accountGetPacing"]["output"]["data"][number];
export type PacingChange = NonNullable<Operations["accountChangePacing"]["input"]["body"]>;

const FIELDS = [
  "per_minute",
  "chat_per_minute",
  "jitter_ms",
  "first_contacts_per_day",
  "warm_up_days",
] as const;
type Name = (typeof FIELDS)[number];

interface FormProps {
  readonly view: PacingView;
  readonly onSave: (body: PacingChange) => Promise<void>;
  readonly onClose: () => void;
}

/** Fields show the channel's own limits; empty ones have the messenger's defaults. */
export function PacingForm({ view, onSave, onClose }: FormProps) {
  const [values, setValues] = useState<Readonly<Record<Name, string>>>(() => givenIn(view));
  const [endsHold, setEndsHold] = useState(false);
  const { busy, problem, run } = useAct();
  const labels: Readonly<Record<Name, string>> = {
    per_minute: words.value.perMinute,
    chat_per_minute: words.value.perChat,
    jitter_ms: words.value.jitterMs,
    first_contacts_per_day: words.value.perDay,
    warm_up_days: words.value.warmUp,
  };
  const wrong = (name: Name) => (Number.isFinite(Number(values[name])) ? undefined : words.value.number);
  return (
    <form
      class="grid gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (FIELDS.every((name) => wrong(name) === undefined)) run(() => onSave(bodyOf(values, endsHold)));
      }}
    >
      <p class="text-sm text-dim">{words.value.hint}</p>
      {FIELDS.map((name) => (
        <Field
          key={name}
          name={name}
          label={labels[name]}
          value={values[name]}
          onInput={(value) => setValues({ ...values, [name]: value })}
          inputMode="numeric"
          required={false}
          error={wrong(name)}
        />
      ))}
      {view.first_contacts.held_until !== null && (
        <label class="flex min-h-6 items-center gap-2">
          <input
            type="checkbox"
            class="h-5 w-5"
            checked={endsHold}
            onChange={(event) => setEndsHold(event.currentTarget.checked)}
          />
          {words.value.endHold}
        </label>
      )}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <div class="flex flex-wrap justify-end gap-2">
        <Button onPress={onClose}>{words.value.cancel}</Button>
        <Button type="submit" look="primary" busy={busy}>
          {words.value.save}
        </Button>
      </div>
    </form>
  );
}

function givenIn({ limits, changed }: PacingView): Record<Name, string> {
  const given = (name: Name): string => (changed.includes(name) ? String(limits[name] ?? "") : "");
  return {
    per_minute: given("per_minute"),
    chat_per_minute: given("chat_per_minute"),
    jitter_ms: given("jitter_ms"),
    first_contacts_per_day: given("first_contacts_per_day"),
    warm_up_days: given("warm_up_days"),
  };
}

function bodyOf(values: Readonly<Record<Name, string>>, endsHold: boolean): PacingChange {
  const filled = FIELDS.filter((name) => values[name].trim() !== "");
  return {
    ...Object.fromEntries(filled.map((name) => [name, Number(values[name])])),
    reset: FIELDS.filter((name) => !filled.includes(name)),
    ...(endsHold ? { end_hold: true } : {}),
  };
}
