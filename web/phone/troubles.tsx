import { useState } from "preact/hooks";
import type { Trouble } from "../../sandbox/phone/shape.ts";
import { Button } from "../kit/button.tsx";
import { Badge } from "../kit/notice.tsx";
import { toast } from "../kit/toast.tsx";
import { addressOf, ask } from "./api.ts";
import { active, current, loadTroubles, panes, troubles } from "./state.ts";
import { said, words } from "./texts/texts.ts";
import { useWork } from "./use-work.ts";

/** Simulated failures: a switch for each lasting one, a button for each single one. */
export function Troubles() {
  const on = troubles.value.filter((each) => each.on).length;
  if (troubles.value.length === 0) return null;
  return (
    <details class="rounded-lg border border-line" open>
      <summary class="flex min-h-11 items-center gap-2 px-3 font-semibold">
        <span class="flex-1">{words.value.troubles}</span>
        {on > 0 && <Badge tone="bad">{on}</Badge>}
      </summary>
      <ul class="grid gap-1 px-3 pb-3">
        {troubles.value.map((trouble) => (
          <TroubleRow key={trouble.name} trouble={trouble} />
        ))}
      </ul>
    </details>
  );
}

function TroubleRow({ trouble }: { readonly trouble: Trouble }) {
  const work = useWork();
  /** The person's latest choice; the sandbox reports the result. */
  const [wanted, setWanted] = useState<boolean | null>(null);
  const isOn = wanted ?? trouble.on;
  const title = said(trouble.title);
  const set = async (on: boolean): Promise<void> => {
    const pane = panes.value[active.value];
    const place = { person: pane?.person ?? "", ...(pane?.chat != null && { chat: pane.chat }) };
    await ask("POST", addressOf(current.value?.name ?? "", "troubles", trouble.name), { on, ...place });
    await loadTroubles();
    if (trouble.lasts === "once") toast(words.value.done(title));
  };
  if (trouble.lasts === "once")
    return (
      <li class="flex items-center gap-2">
        <span class="flex-1 text-sm">{title}</span>
        <Button
          busy={work.busy}
          label={`${words.value.doIt}: ${title}`}
          onPress={() => work.run(() => set(true))}
        >
          {words.value.doIt}
        </Button>
      </li>
    );
  return (
    <li>
      <label class="flex min-h-9 items-center gap-2 text-sm">
        <input
          type="checkbox"
          role="switch"
          class="h-4 w-4 shrink-0"
          checked={isOn}
          aria-checked={isOn}
          onChange={(event) => {
            const chosen = event.currentTarget.checked;
            setWanted(chosen);
            work.run(() => set(chosen).finally(() => setWanted(null)));
          }}
        />
        <span class="flex-1">{title}</span>
        {trouble.hits !== null && trouble.hits > 0 && (
          <Badge tone="wait">{words.value.hits(trouble.hits)}</Badge>
        )}
      </label>
    </li>
  );
}
