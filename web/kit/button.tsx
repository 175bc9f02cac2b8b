import type { ComponentChildren } from "preact";

const LOOKS = {
  primary: "px-4 bg-accent text-accent-ink font-semibold hover:brightness-110",
  plain: "px-4 border border-edge bg-bg hover:bg-pane",
  quiet: "text-accent-text font-semibold hover:underline",
  danger: "px-4 bg-bad text-bg font-semibold hover:brightness-110",
} as const;
export type ButtonLook = keyof typeof LOOKS;

const SHAPE =
  "shaped inline-flex min-h-10 items-center justify-center gap-2 rounded-md py-2 no-underline disabled:opacity-60";

export function buttonClass(look: ButtonLook, more = ""): string {
  return `${SHAPE} ${LOOKS[look]} ${more}`;
}

interface ButtonProps {
  readonly look?: ButtonLook;
  readonly type?: "button" | "submit";
  /** Its action is in progress: it cannot be pressed again, and is reported as busy to assistive technology. */
  readonly busy?: boolean;
  readonly disabled?: boolean;
  /** Name for assistive technology, if there is no text. */
  readonly label?: string;
  readonly class?: string;
  readonly onPress?: () => void;
  readonly children: ComponentChildren;
}

export function Button({ look = "plain", type = "button", busy = false, ...props }: ButtonProps) {
  return (
    <button
      type={type}
      class={buttonClass(look, props.class)}
      disabled={busy || props.disabled === true}
      aria-busy={busy}
      aria-label={props.label}
      onClick={() => props.onPress?.()}
    >
      {props.children}
    </button>
  );
}
