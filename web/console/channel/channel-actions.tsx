import { useState } from "preact/hooks";
import { Button, type ButtonLook } from "../../kit/button.tsx";
import { Notice } from "../../kit/notice.tsx";
import { toast } from "../../kit/toast.tsx";
import { Confirm } from "../parts.tsx";
import { ask, useAct } from "../state.ts";
import { actionsWords as words } from "../texts/texts.ts";
import type { Channel } from "./channels.tsx";

interface ActionProps {
  readonly channel: Channel;
  readonly look?: ButtonLook;
  readonly onChange: () => void;
}

const pathOf = ({ accountId, id }: Channel) => ({ account: String(accountId), channel: id });

/** Opens the page on which a person links the channel. */
export function ConnectPageButton({ channel, look = "plain" }: Omit<ActionProps, "onChange">) {
  const { busy, problem, run } = useAct();
  const open = () =>
    run(async () => {
      const { link } = await ask("linkToChannel", { path: pathOf(channel) });
      window.open(link, "_blank", "noopener");
    });
  return (
    <>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Button look={look} busy={busy} onPress={open}>
        {words.value.page}
      </Button>
    </>
  );
}

/** Restarts the channel, after a question. */
export function ReconnectButton({ channel, look = "plain", onChange }: ActionProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look={look} onPress={() => setOpen(true)}>
        {words.value.reconnect}
      </Button>
      <Confirm
        title={words.value.reconnect}
        text={words.value.reconnectText}
        action={words.value.reconnect}
        danger={false}
        open={open}
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          await ask("restartChannel", { path: pathOf(channel) });
          toast(words.value.started);
          onChange();
        }}
      />
    </>
  );
}

/** Stops sending, after a question, or resumes it. */
export function SendingButton({ channel, look = "plain", onChange }: ActionProps) {
  const [open, setOpen] = useState(false);
  const { busy, problem, run } = useAct();
  const path = pathOf(channel);
  if (channel.stoppedAt !== null)
    return (
      <>
        {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
        <Button
          look="primary"
          busy={busy}
          onPress={() => run(() => ask("goOnSending", { path }).then(onChange))}
        >
          {words.value.goOn}
        </Button>
      </>
    );
  return (
    <>
      <Button look={look} onPress={() => setOpen(true)}>
        {words.value.stop}
      </Button>
      <Confirm
        title={words.value.stop}
        text={words.value.stopText}
        action={words.value.stop}
        open={open}
        onClose={() => setOpen(false)}
        onConfirm={() => ask("stopSending", { path }).then(onChange)}
      />
    </>
  );
}
