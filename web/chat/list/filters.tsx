import type { ComponentChildren } from "preact";
import { later, togetherParts } from "../later.ts";
import { words } from "../texts/texts.ts";
import { filter, refine, unansweredCount } from "./chats.ts";

const MoreFilters = later(async () => (await togetherParts()).MoreFilters);

interface FilterButtonProps {
  readonly isOn: boolean;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}

export function FilterButton({ isOn, onPress, children }: FilterButtonProps) {
  return (
    <button
      type="button"
      class={`flex min-h-10 min-w-10 items-center justify-center gap-1 justify-self-start rounded-md border px-1.5 text-sm ${isOn ? "border-edge bg-bg" : "border-transparent text-dim hover:text-ink"}`}
      aria-pressed={isOn}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

export function showAll(): void {
  filter.value = {};
}

/**
 * The filters that employees change all day; the others are loaded later. Each but "all" restricts the list further. They
 * are one line: if it is too short, the word "unanswered" is cut.
 */
export function Filters() {
  const { unanswered } = filter.value;
  return (
    <fieldset
      aria-label={words.value.filters}
      class="relative grid grid-cols-[auto_minmax(0,auto)_1fr] gap-0.5 pr-10"
    >
      <FilterButton isOn={Object.keys(filter.value).length === 0} onPress={showAll}>
        {words.value.all}
      </FilterButton>
      <FilterButton
        isOn={unanswered !== undefined}
        onPress={() => refine({ unanswered: unanswered === undefined ? "true" : undefined })}
      >
        <span class="truncate">{words.value.unanswered}</span>
        {unansweredCount.value || null}
      </FilterButton>
      <MoreFilters />
    </fieldset>
  );
}
