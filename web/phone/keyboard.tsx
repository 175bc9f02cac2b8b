import type { Button as ButtonFacts } from "../../sandbox/phone/shape.ts";
import { toast } from "../kit/toast.tsx";
import type { Pane } from "./pane.ts";
import { act } from "./state.ts";
import { useWork } from "./use-work.ts";

interface KeyboardProps {
  readonly pane: Pane;
  readonly rows: readonly (readonly ButtonFacts[])[];
  /** The message of the buttons; without it they are those below the input field. */
  readonly message?: string;
}

const LOOK =
  "grid min-h-10 flex-1 place-items-center rounded-md border border-edge bg-bg px-2 py-1.5 text-center text-sm font-semibold text-accent-text no-underline hover:bg-pane";

/** Buttons of a message, or those under the input field. */
export function Keyboard({ pane, rows, message }: KeyboardProps) {
  const work = useWork();
  if (rows.length === 0) return null;
  const press = async (key: string): Promise<void> => {
    const answer = await act(pane, "press", { key, ...(message !== undefined && { message }) });
    const told = tellingOf(answer);
    if (told !== "") toast(told);
  };
  return (
    <div class={message === undefined ? "grid gap-1 p-2" : "mt-1 grid gap-1"}>
      {rows.map((row) => (
        <div key={row.map(({ key }) => key).join(" ")} class="flex gap-1">
          {row.map((button) =>
            isWeb(button.url) ? (
              <a key={button.key} href={button.url} target="_blank" rel="noreferrer" class={LOOK}>
                {button.text}
              </a>
            ) : (
              <button
                key={button.key}
                type="button"
                class={LOOK}
                onClick={() => work.run(() => press(button.key))}
              >
                {button.text}
              </button>
            ),
          )}
        </div>
      ))}
    </div>
  );
}

/** Only addresses of the web are opened. */
function isWeb(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\//i.test(url);
}

/** The business's answer to the press; each messenger shows it elsewhere. */
function tellingOf(answer: unknown): string {
  const given = (answer as { readonly answer?: unknown } | null)?.answer;
  if (typeof given !== "object" || given === null) return "";
  const { text, notification, event_data: data } = given as Readonly<Record<string, unknown>>;
  const said = text ?? notification ?? (data as { readonly text?: unknown } | undefined)?.text;
  return typeof said === "string" ? said : "";
}
