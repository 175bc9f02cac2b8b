import { channel, chosen, isConnectedHere, opening, trouble } from "./state.ts";
import { words } from "./texts/texts.ts";

/** Where the person is on the way to a channel that works; the first step is that of links which leave it open. */
export function Steps() {
  const now = channel.value;
  if (opening.value === null || trouble.value !== null || (now !== null && !isConnectedHere(now)))
    return null;
  const { steps, stepMessenger, stepConnect, stepTest } = words.value;
  const isOpen = opening.value.transport === null && opening.value.channel_id === null;
  const names = [...(isOpen ? [stepMessenger] : []), stepConnect, stepTest];
  const name = now?.status === "active" ? stepTest : chosen.value === null ? stepMessenger : stepConnect;
  const current = names.indexOf(name);
  return (
    <ol class="flex gap-2 text-sm" aria-label={steps}>
      {names.map((each, index) => (
        <li
          key={each}
          class={`min-w-0 grow basis-0 border-t-4 pt-1 ${index <= current ? "border-accent font-semibold" : "border-line text-dim"}`}
          {...(index === current ? { "aria-current": "step" as const } : {})}
        >
          {each}
        </li>
      ))}
    </ol>
  );
}
