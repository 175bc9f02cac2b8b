import { useState } from "preact/hooks";
import { Button, type ButtonLook } from "../../kit/button.tsx";
import { dictionary } from "../../kit/i18n.ts";
import { Notice } from "../../kit/notice.tsx";
import { toast } from "../../kit/toast.tsx";
import { Confirm } from "../parts.tsx";
import { ask, useAct } from "../state.ts";
import type { Channel } from "./channels.tsx";

const words = dictionary({
  en: {
    page: "Open the connect page",
    reconnect: "Reconnect",
    reconnectText:
      "The channel restarts with its stored credentials, and its messages wait in the queue. If a code must be scanned or a key entered, open the connect page instead.",
    started: "The channel is restarting",
    stop: "Stop sending",
    stopText: "The channel sends nothing until you resume. Messages accepted meanwhile wait in the queue.",
    goOn: "Resume sending",
  },
  ru: {
    page: "Страница подключения",
    reconnect: "Подключить снова",
    reconnectText:
      "Канал запустится снова с тем, что у него есть. Сообщения пока подождут. Если нужен QR-код или ключ, откройте страницу подключения.",
    started: "Канал запускается снова",
    stop: "Остановить отправку",
    stopText: "Через канал ничего не уйдёт, пока вы не разрешите. Принятое за это время подождёт.",
    goOn: "Разрешить отправку",
  },
});

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
