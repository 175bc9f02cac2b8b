import { useState } from "preact/hooks";
import type { Chat, PhoneFacts } from "../../sandbox/phone/shape.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Field } from "../kit/field.tsx";
import { addressOf, ask, listOf } from "./api.ts";
import { active, loadPeople, panes, people, refresh, setPane } from "./state.ts";
import { words } from "./texts/texts.ts";
import { useWork } from "./use-work.ts";

interface AddingProps {
  readonly open: boolean;
  readonly facts: PhoneFacts;
  readonly onClose: () => void;
}

/** A new person with a phone, which replaces the active one. */
export function AddPerson({ open, facts, onClose }: AddingProps) {
  const [name, setName] = useState("");
  const [phone, setPhone] = useState(freePhone);
  const work = useWork();
  const submit = async (): Promise<void> => {
    const before = new Set(people.value?.map(({ id }) => id));
    await ask("POST", addressOf(facts.name, "people"), { name, phone });
    await loadPeople();
    const added = people.value?.find(({ id }) => !before.has(id));
    if (added !== undefined) setPane(active.value, { person: added.id, chat: null });
    setName("");
    setPhone(freePhone());
    onClose();
  };
  return (
    <Dialog title={words.value.addPerson} open={open} onClose={onClose}>
      <form
        class="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          work.run(submit);
        }}
      >
        <Field label={words.value.name} name="name" value={name} onInput={setName} />
        <Field
          label={words.value.phoneNumber}
          name="phone"
          value={phone}
          onInput={setPhone}
          inputMode="tel"
          hint={words.value.phoneHint}
        />
        <Button look="primary" type="submit" busy={work.busy}>
          {words.value.add}
        </Button>
      </form>
    </Dialog>
  );
}

function freePhone(): string {
  return `7999${String(Math.floor(Math.random() * 1e7)).padStart(7, "0")}`;
}

/** A group of people; if there are businesses, the first of them is a member. */
export function AddGroup({ open, facts, onClose }: AddingProps) {
  const [title, setTitle] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const work = useWork();
  const members = chosen ?? new Set(people.value?.map(({ id }) => id));
  const submit = async (): Promise<void> => {
    const person = panes.value[active.value]?.person ?? [...members][0] ?? "";
    const around = await listOf<Chat>(addressOf(facts.name, "people", person, "chats"));
    const account = around.find(({ kind }) => kind === "business")?.id ?? "";
    await ask("POST", addressOf(facts.name, "groups"), { title, people: [...members], account });
    await refresh();
    setTitle("");
    onClose();
  };
  const toggle = (id: string): void => {
    const next = new Set(members);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <Dialog title={words.value.addGroup} open={open} onClose={onClose}>
      <form
        class="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          work.run(submit);
        }}
      >
        <Field label={words.value.groupTitle} name="title" value={title} onInput={setTitle} />
        <fieldset class="grid gap-2">
          <legend class="mb-1 font-semibold">{words.value.members}</legend>
          {people.value?.map(({ id, name, detail }) => (
            <label key={id} class="flex items-center gap-2">
              <input type="checkbox" checked={members.has(id)} onChange={() => toggle(id)} />
              {name} <span class="text-sm text-dim">{detail}</span>
            </label>
          ))}
        </fieldset>
        <Button look="primary" type="submit" busy={work.busy} disabled={members.size === 0}>
          {words.value.add}
        </Button>
      </form>
    </Dialog>
  );
}
