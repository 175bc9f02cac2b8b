import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { toast } from "../../kit/toast.tsx";
import type { Abilities } from "../model.ts";
import { composerWords } from "../texts/texts.ts";
import { intentOf } from "./compose.ts";
import { addFiles, takesFiles } from "./tray.ts";

interface DropZoneProps {
  readonly place: string;
  readonly abilities: Abilities | null;
  readonly children: ComponentChildren;
}

/** Accepts files dropped anywhere on the conversation, if files can be sent; otherwise ignores them. */
export function DropZone({ place, abilities, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const takes = intentOf(place)?.kind !== "edit" && takesFiles(abilities);
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; files are chosen by the button
    <div
      class="relative flex h-full min-h-0 min-w-0 flex-col"
      onDragOver={(event) => {
        if (!holdsFiles(event)) return;
        // Otherwise the browser would open the file in place of the page.
        event.preventDefault();
        if (takes) setOver(true);
        else if (event.dataTransfer !== null) event.dataTransfer.dropEffect = "none";
      }}
      onDragLeave={(event) => {
        const next = event.relatedTarget;
        if (!(next instanceof Node && event.currentTarget.contains(next))) setOver(false);
      }}
      onDrop={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        setOver(false);
        if (!takes) return;
        const fault = addFiles(place, [...(event.dataTransfer?.files ?? [])], abilities);
        if (fault !== null) toast(fault);
      }}
    >
      {children}
      {isOver && (
        <p class="pointer-events-none absolute inset-2 z-20 grid place-items-center rounded-lg border-2 border-dashed border-accent-text bg-bg/90 font-semibold">
          {composerWords.value.drop}
        </p>
      )}
    </div>
  );
}
