import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Device } from "./device.tsx";
import { active, chats, current, panes, people, setPanes } from "./state.ts";
import { words } from "./texts/texts.ts";

/** The open phones: one, or two side by side. */
export function Table() {
  const { secondPhone, onePhone, noPeople } = words.value;
  const facts = current.value;
  if (facts === null) return null;
  const other = people.value?.find(({ id }) => panes.value.every(({ person }) => person !== id));
  const takeSecond = (): void => {
    const [first] = panes.value;
    if (other === undefined || first === undefined) return;
    // Two people look at the same group; their other chats are their own.
    const shared = chats.value
      .get(first.person)
      ?.find(({ id, kind }) => id === first.chat && kind === "group");
    setPanes([first, { person: other.id, chat: shared?.id ?? null }]);
    active.value = 1;
  };
  return (
    <div class="grid min-h-full grid-cols-1 content-start justify-items-center gap-3 p-3 lg:p-5">
      {panes.value.length === 0 && people.value !== null && <p class="py-12 text-dim">{noPeople}</p>}
      <div class="flex w-full flex-wrap items-start justify-center gap-5">
        {panes.value.map((pane, index) => (
          <Device key={`${facts.name} ${pane.person}`} facts={facts} pane={pane} index={index} />
        ))}
      </div>
      {panes.value.length === 1 && other !== undefined && (
        <Button onPress={takeSecond}>
          <Icon name="plus" />
          {secondPhone}
        </Button>
      )}
      {panes.value.length === 2 && (
        <Button onPress={() => setPanes(panes.value.slice(0, 1))}>{onePhone}</Button>
      )}
    </div>
  );
}
