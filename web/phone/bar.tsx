import type { ComponentChildren } from "preact";

/** The app's header, in the messenger's colour. */
export function Bar({ colour, children }: { readonly colour: string; readonly children: ComponentChildren }) {
  return (
    <div class="flex min-h-13 items-center gap-2 px-2 pb-1 text-white" style={{ background: colour }}>
      {children}
    </div>
  );
}

/** For buttons on the bar: white on the messenger's colour. */
export const BAR_BUTTON =
  "grid h-10 w-10 shrink-0 place-items-center rounded-full text-white outline-white hover:bg-black/20";
