import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../../kit/button.tsx";
import { Drawing } from "../../kit/icon.tsx";
import { shortName } from "../../kit/messenger.tsx";
import { channels } from "../channels.ts";
import { barrenPages, type Filter, filter, refine } from "../list/chats.ts";
import { FilterButton, showAll } from "../list/filters.tsx";
import { Empty } from "../list/list-pane.tsx";
import { togetherWords } from "../texts/texts.ts";
import { channelName } from "../thread/thread-head.tsx";

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChoose: (value: string | undefined) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <label class="flex min-w-0 items-center gap-2">
      <span class="w-24 shrink-0 text-dim">{label}</span>
      <select
        class="h-10 w-full min-w-0 rounded-md border border-edge bg-bg px-2"
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value || undefined)}
      >
        <option value="">{togetherWords.value.any}</option>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children: ComponentChildren;
}

function Check({ isOn, onChange, children }: CheckProps) {
  return (
    <label class="flex min-h-10 items-center gap-2">
      <input
        type="checkbox"
        class="accent-accent"
        checked={isOn}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {children}
    </label>
  );
}

/** The filters that are seldom changed. */
function FilterPanel() {
  const texts = togetherWords.value;
  const { transport, channel_id: channelId, assigned, failed, snoozed } = filter.value;
  const transports = [...new Set(channels.value.map((channel) => channel.transport))];
  return (
    <fieldset
      aria-label={texts.moreFilters}
      class="col-span-3 mt-1 -mr-10 grid gap-1.5 border-t border-line pt-2.5 text-sm"
    >
      <Choice
        label={texts.messenger}
        value={transport ?? ""}
        options={transports.map((each) => [each, shortName(each)] as const)}
        onChoose={(value) => refine({ transport: value, channel_id: undefined })}
      />
      <Choice
        label={texts.channel}
        value={channelId ?? ""}
        options={channels.value
          .filter((each) => transport === undefined || each.transport === transport)
          .map((each) => [each.channel_id, channelName(each.channel_id, each.transport)] as const)}
        onChoose={(value) => refine({ channel_id: value })}
      />
      <Choice
        label={texts.assigned}
        value={assigned ?? ""}
        options={[
          ["mine", texts.me],
          ["nobody", texts.nobody],
        ]}
        onChoose={(value) => refine({ assigned: value as Filter["assigned"] })}
      />
      <Check isOn={failed !== undefined} onChange={(isOn) => refine({ failed: isOn ? "true" : undefined })}>
        {texts.onlyFailed}
      </Check>
      <Check isOn={snoozed !== undefined} onChange={(isOn) => refine({ snoozed: isOn ? "true" : undefined })}>
        {texts.onlySnoozed}
      </Check>
    </fieldset>
  );
}

const FUNNEL = "M2 3h12l-4.5 5.5V13l-3 1V8.5Z";
const isOpen = signal(false);

/** Continues the row of filters: the employee's own chats, and a button for the filters that are seldom changed. */
export function MoreFilters() {
  const { mine, moreFilters } = togetherWords.value;
  const { assigned, unanswered, ...others } = filter.value;
  const isMine = assigned === "mine";
  const hasOthers = assigned === "nobody" || Object.keys(others).length > 0;
  return (
    <>
      <FilterButton isOn={isMine} onPress={() => refine({ assigned: isMine ? undefined : "mine" })}>
        {mine}
      </FilterButton>
      <button
        type="button"
        class={`absolute top-0 right-0 grid min-h-10 min-w-10 place-items-center rounded-md border ${hasOthers || isOpen.value ? "border-edge bg-bg" : "border-transparent text-dim hover:text-ink"}`}
        aria-label={moreFilters}
        title={moreFilters}
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Drawing path={FUNNEL} size={16} />
        {hasOthers && <span class="shaped absolute top-0 right-0 h-2.5 w-2.5 rounded-full bg-accent" />}
      </button>
      {isOpen.value && <FilterPanel />}
    </>
  );
}

/** Instead of rows, if no chat fits the filter. */
export function NoneFits() {
  const { noneFits, clearFilters } = togetherWords.value;
  return (
    <div class="grid justify-items-center">
      <Empty title={noneFits} />
      <Button onPress={showAll}>{clearFilters}</Button>
    </div>
  );
}

/** Below the rows, if the last pages had no chat that fits. */
export function OlderChats() {
  return (
    <p class="p-3 text-center">
      <Button
        onPress={() => {
          barrenPages.value = 0;
        }}
      >
        {togetherWords.value.olderChats}
      </Button>
    </p>
  );
}
