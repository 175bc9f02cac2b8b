import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { buttonClass } from "./button.tsx";
import { moveFocus } from "./focus.ts";

interface MenuProps {
  readonly label: string;
  readonly items: readonly { readonly label: string; readonly onChoose: () => void }[];
  /** Replaces the usual style of a button. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A button that opens a list of actions. Arrow keys move; Escape and a click outside close it. */
export function Menu({ label, items, children, ...props }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // Opened here, not by the browser: the next key press already belongs to the menu.
  const open = (event: Event) => {
    const [at, box] = [button.current?.getBoundingClientRect(), list.current];
    if (at === undefined || box === null || box.matches(":popover-open")) return;
    event.preventDefault();
    box.showPopover();
    // Above the button if there is no room below it.
    const fits = at.bottom + 4 + box.offsetHeight <= innerHeight - 8;
    box.style.top = `${fits ? at.bottom + 4 : Math.max(8, at.top - 4 - box.offsetHeight)}px`;
    box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - box.offsetWidth - 8))}px`;
    box.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={props.class ?? buttonClass("plain")}
        aria-label={label}
        aria-haspopup="menu"
        popovertarget={id}
        onClick={open}
      >
        {children}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        class="fixed m-0 max-h-[70vh] min-w-40 overflow-y-auto rounded-lg border border-line bg-bg p-1 text-ink shadow-lg"
        onKeyDown={(event) => moveFocus(event, "[role=menuitem]")}
      >
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            class="block w-full rounded-md px-3 py-2 text-left hover:bg-pane"
            onClick={() => {
              list.current?.hidePopover();
              item.onChoose();
            }}
          >
            {item.label}
          </button>
        ))}
      </div>
    </>
  );
}
