import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { later } from "../later.ts";
import { composerWords } from "../texts/texts.ts";

const TemplateDialog = later(async () => (await import("./template-dialog.tsx")).TemplateDialog);

interface PickerProps {
  readonly place: string;
  readonly chatType: string;
  readonly look: "icon" | "button";
}

/** Opens the templates: among the tools, or alone if nothing else can be sent. */
export function TemplatePicker({ place, chatType, look }: PickerProps) {
  const [isOpen, setOpen] = useState(false);
  const words = composerWords.value;
  return (
    <>
      {look === "icon" ? (
        <button
          type="button"
          class="grid h-10 w-10 shrink-0 place-items-center rounded-md text-dim hover:text-ink"
          aria-label={words.templates}
          title={words.templates}
          onClick={() => setOpen(true)}
        >
          <Icon name="template" size={18} />
        </button>
      ) : (
        <Button look="primary" onPress={() => setOpen(true)}>
          {words.chooseTemplate}
        </Button>
      )}
      {isOpen && <TemplateDialog place={place} chatType={chatType} onClose={() => setOpen(false)} />}
    </>
  );
}
