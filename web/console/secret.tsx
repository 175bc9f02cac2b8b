import { Copy } from "./parts.tsx";
import { commonWords as common } from "./texts/texts.ts";

/** Shown once. */
export function Secret({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div class="grid gap-2 rounded-md bg-wait-bg p-3">
      <p class="text-sm font-semibold">{label}</p>
      <code class="font-mono text-sm">{text}</code>
      <p class="text-sm text-wait">{common.value.shownOnce}</p>
      <div>
        <Copy text={text} />
      </div>
    </div>
  );
}
