import { useState } from "preact/hooks";
import { Refusal } from "../kit/api/client.ts";
import { Button } from "../kit/button.tsx";
import { Field } from "../kit/field.tsx";
import { Notice } from "../kit/notice.tsx";
import { fieldWords } from "./guides.ts";
import { refusalText } from "./problem.ts";
import { ask, channel, show, staying, type Transport, watch } from "./state.ts";
import { words } from "./texts/texts.ts";
import { useAction } from "./use-action.ts";

type Values = Readonly<Record<string, string>>;

/** Creates the channel with these credentials, or restarts the one to reconnect; then `history` can be chosen. */
export async function connectWith(
  transport: string,
  credentials: Values,
  history?: { readonly days: number },
): Promise<void> {
  const id = channel.value?.channel_id;
  const stays = staying();
  if (id === undefined) {
    const created = await ask("connectChannel", { body: { transport, credentials } });
    if (stays()) await watch(created.channel_id);
    return;
  }
  const body = history === undefined ? { credentials } : { credentials, history };
  const started = await ask("reconnectChannel", { path: { id }, body });
  if (!stays()) return;
  show(started);
  await watch(id);
}

/** The fields of a transport's credentials, from its definition. */
export function CredentialsForm({ transport }: { readonly transport: Transport }) {
  const [values, setValues] = useState<Values>({});
  const [faults, setFaults] = useState<Values>({});
  const { busy, problem, run } = useAction();
  const submit = () => {
    const found = faultsOf(transport, values);
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    const given = Object.entries(values).flatMap(([name, value]) =>
      value.trim() === "" ? [] : [[name, value.trim()]],
    );
    run(
      () => connectWith(transport.transport, Object.fromEntries(given)),
      (error) => {
        if (!(error instanceof Refusal) || error.fields.length === 0) return undefined;
        const own = error.fields.map(({ field, message }) => [
          field.replace(/^credentials\./, ""),
          refusalText(message) ?? message,
        ]);
        setFaults(Object.fromEntries(own));
        return undefined;
      },
    );
  };
  return (
    <form
      class="grid gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {transport.fields.map((field) => {
        const { title, hint } = fieldWords(field);
        return (
          <Field
            key={field.name}
            name={field.name}
            label={title}
            hint={hint}
            value={values[field.name] ?? ""}
            error={faults[field.name]}
            secret={field.secret}
            required={field.required}
            onInput={(value) => setValues((now) => ({ ...now, [field.name]: value }))}
          />
        );
      })}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Button look="primary" type="submit" busy={busy}>
        {words.value.connect}
      </Button>
    </form>
  );
}

/** Errors that can be detected before the messenger is queried. */
function faultsOf({ fields }: Transport, values: Values): Values {
  const faults = fields.flatMap(({ name, required, pattern }) => {
    const value = (values[name] ?? "").trim();
    if (value === "") return required ? [[name, words.value.required]] : [];
    return pattern !== "" && !new RegExp(pattern, "u").test(value) ? [[name, words.value.malformed]] : [];
  });
  return Object.fromEntries(faults);
}
