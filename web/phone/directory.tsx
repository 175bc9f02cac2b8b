import { useState } from "preact/hooks";
import type { Person, PhoneFacts } from "../../sandbox/phone/shape.ts";
import { Avatar } from "../kit/avatar.tsx";
import { Button } from "../kit/button.tsx";
import { moveFocus } from "../kit/focus.ts";
import { Icon } from "../kit/icon.tsx";
import { MessengerMark } from "../kit/messenger.tsx";
import { AddGroup, AddPerson } from "./adding.tsx";
import { active, choose, current, messengers, panes, people, setPane, setPanes } from "./state.ts";
import { said, words } from "./texts/texts.ts";
import { complain } from "./use-work.ts";
import { show } from "./view.ts";

/** The messengers, and the people of the selected one. */
export function Directory() {
  const { title, intro, messengers: heading } = words.value;
  return (
    <div class="grid gap-5 p-4">
      <header>
        <p class="text-lg font-semibold">{title}</p>
        <p class="text-sm text-dim">{intro}</p>
      </header>
      <nav aria-label={heading} onKeyDown={(event) => moveFocus(event, "button")}>
        <ul class="grid gap-px">
          {messengers.value?.map((facts) => (
            <li key={facts.name}>
              <MessengerButton facts={facts} />
            </li>
          ))}
        </ul>
      </nav>
      <People key={current.value?.name} />
    </div>
  );
}

function MessengerButton({ facts }: { readonly facts: PhoneFacts }) {
  const isCurrent = current.value?.name === facts.name;
  return (
    <button
      type="button"
      aria-current={isCurrent}
      class={`flex min-h-10 w-full items-center gap-3 rounded-md px-2 py-1 text-left hover:bg-pane ${isCurrent ? "bg-pane font-semibold" : ""}`}
      onClick={() => void choose(facts).catch(complain)}
    >
      <MessengerMark transport={facts.name} size={28} />
      <span class="truncate">{said(facts.title)}</span>
    </button>
  );
}

/** So many are found at a glance. */
const FEW_PEOPLE = 5;

/** Whether the name, phone or username contains all words; of a number, its digits. */
function isLike({ name, detail }: Person, wanted: string): boolean {
  const text = `${name} ${detail}`.toLocaleLowerCase();
  const digits = wanted.replaceAll(/[\s()+-]/g, "");
  if (/^\d{3,}$/.test(digits)) return text.replaceAll(/\D/g, "").includes(digits);
  return wanted
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function People() {
  const [adding, setAdding] = useState<"person" | "group" | null>(null);
  const facts = current.value;
  const [wanted, setWanted] = useState("");
  const { people: heading, noPeople, searchPeople, nobodyFound, addPerson, addGroup } = words.value;
  if (facts === null) return null;
  const all = people.value ?? [];
  const found = all.length > FEW_PEOPLE ? all.filter((person) => isLike(person, wanted)) : all;
  const close = (): void => setAdding(null);
  return (
    <section class="grid gap-2" aria-labelledby="people">
      <h2 id="people" class="text-sm font-semibold text-dim">
        {heading}
      </h2>
      {people.value === null && <div class="appears-late h-24 rounded-lg bg-pane" aria-busy="true" />}
      {people.value?.length === 0 && <p class="text-sm text-dim">{noPeople}</p>}
      {all.length > FEW_PEOPLE && (
        <input
          type="search"
          aria-label={searchPeople}
          placeholder={searchPeople}
          class="min-h-10 min-w-0 rounded-md border border-edge bg-bg px-3"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      )}
      {/* Announced when it appears. */}
      <p role="status" class="text-sm text-dim empty:hidden">
        {all.length > 0 && found.length === 0 ? nobodyFound : null}
      </p>
      <ul class="grid gap-px">
        {found.map((person) => (
          <li key={person.id}>
            <PersonButton person={person} />
          </li>
        ))}
      </ul>
      <div class="flex flex-wrap gap-2">
        <Button onPress={() => setAdding("person")}>
          <Icon name="plus" />
          {addPerson}
        </Button>
        {facts.groups && <Button onPress={() => setAdding("group")}>{addGroup}</Button>}
      </div>
      <AddPerson open={adding === "person"} facts={facts} onClose={close} />
      <AddGroup open={adding === "group"} facts={facts} onClose={close} />
    </section>
  );
}

function PersonButton({ person }: { readonly person: Person }) {
  const pane = panes.value[active.value];
  const holds = panes.value.some((each) => each.person === person.id);
  return (
    <button
      type="button"
      aria-current={pane?.person === person.id}
      class={`flex w-full items-center gap-3 rounded-md px-2 py-1.5 text-left hover:bg-pane ${holds ? "bg-pane" : ""}`}
      onClick={() => {
        const next = { person: person.id, chat: null };
        if (pane === undefined) setPanes([next]);
        else setPane(active.value, next);
        show("phone");
      }}
    >
      <Avatar id={person.id} name={person.name} size={32} />
      <span class="grid min-w-0">
        <span class="truncate font-semibold">{person.name}</span>
        <span class="truncate text-sm text-dim">{person.detail}</span>
      </span>
    </button>
  );
}
