import { useState } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { copyText } from "../kit/copy-text.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Notice } from "../kit/notice.tsx";
import { ask } from "./state.ts";
import { words } from "./texts/texts.ts";
import { useAction } from "./use-action.ts";

interface ShareProps {
  readonly channelId: string;
  readonly label?: string;
}

/** A link to this step for the person with the phone, or for another device. */
export function Share({ channelId, label = words.value.share }: ShareProps) {
  const [link, setLink] = useState<string>();
  const { busy, problem, run } = useAction();
  const open = () =>
    run(async () => setLink((await ask("shareChannelLink", { path: { id: channelId } })).link));
  return (
    <>
      <Button look="quiet" busy={busy} onPress={open}>
        {label}
      </Button>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Dialog title={label} open={link !== undefined} onClose={() => setLink(undefined)}>
        <p class="mb-3 text-sm text-dim">{words.value.shareHint}</p>
        <p class="mb-4 rounded-md bg-pane p-3 font-mono text-sm break-all select-all">{link}</p>
        <div class="flex flex-wrap gap-2">
          <Button look="primary" onPress={() => copyText(link ?? "", words.value.copied)}>
            {words.value.copy}
          </Button>
          <Button onPress={() => setLink(undefined)}>{words.value.close}</Button>
        </div>
      </Dialog>
    </>
  );
}
