import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../../kit/icon.tsx";
import { beginning } from "../../kit/pieces.ts";
import type { WireMessage } from "../model.ts";
import { bubbleWords } from "../texts/texts.ts";

/** Content with an icon before it. */
export function Labelled({
  icon,
  children,
}: {
  readonly icon: IconName;
  readonly children: ComponentChildren;
}) {
  return (
    <span class="flex items-start gap-2.5">
      <span class="mt-0.5">
        <Icon name={icon} size={18} />
      </span>
      <span class="grid min-w-0 gap-0.5">{children}</span>
    </span>
  );
}

/** More than any messenger allows. */
const MAX_BUTTONS = 100;
const BUTTON = "flex items-center gap-1.5 rounded-md border border-edge px-3 py-1.5 text-sm";

/**
 * Buttons of a message as the customer sees them, or the one that the customer pressed. Only links are active. Structured
 * answers have no label: the text of their message shows them.
 */
export function Buttons({ buttons }: { readonly buttons: WireMessage["buttons"] }) {
  const shown = buttons.filter(({ text }) => text !== undefined);
  if (shown.length === 0) return null;
  const isPressed = shown.every(({ type }) => type === "pressed");
  return (
    <ul
      class="mt-2 flex flex-wrap gap-1"
      aria-label={isPressed ? bubbleWords.value.pressed : bubbleWords.value.buttons}
    >
      {shown.slice(0, MAX_BUTTONS).map(({ text = "", url }, index) => (
        <li key={index} class="min-w-0">
          {url !== undefined && /^https?:/i.test(url) ? (
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer nofollow"
              class={`${BUTTON} text-accent-text no-underline`}
            >
              {beginning(text)}
              <Icon name="external" />
            </a>
          ) : (
            <span class={BUTTON}>
              {isPressed && <Icon name="check" size={12} />}
              {beginning(text)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
