import { toast } from "./toast.tsx";

/**
 * Copies a text and says so with `copied`. The clipboard API is missing on http, and not allowed in frames of other
 * sites; copying a selection always works. Call it from a press.
 */
export function copyText(text: string, copied: string): void {
  const holder = document.createElement("textarea");
  holder.value = text;
  holder.className = "sr-only";
  // In a modal dialog, nothing outside it can be selected.
  (document.querySelector("dialog[open]") ?? document.body).append(holder);
  const focused = document.activeElement;
  holder.select();
  const isCopied = document.execCommand("copy");
  holder.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (isCopied) toast(copied);
}
