import type { ComponentChildren } from "preact";
import { moveFocus } from "./focus.ts";

/** Pressable rows; arrow keys move between them. */
export function List({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <ul
      aria-label={label}
      class="grid gap-px overflow-hidden rounded-lg border border-line bg-line"
      onKeyDown={(event) => moveFocus(event, "button, a")}
    >
      {children}
    </ul>
  );
}

interface RowProps {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly start?: ComponentChildren;
  readonly end?: ComponentChildren;
  readonly current?: boolean;
  readonly onPress: () => void;
}

export function Row({ title, detail, start, end, current = false, onPress }: RowProps) {
  return (
    <li class="bg-bg">
      <button
        type="button"
        class={`flex w-full items-center gap-3 px-3 py-2.5 text-left -outline-offset-2 hover:bg-pane ${current ? "bg-pane" : ""}`}
        aria-current={current}
        onClick={onPress}
      >
        {start}
        <span class="grid min-w-0 flex-1">
          <span class="truncate font-semibold">{title}</span>
          {detail !== undefined && <span class="truncate text-sm text-dim">{detail}</span>}
        </span>
        {end}
      </button>
    </li>
  );
}
