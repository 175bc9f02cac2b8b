import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { dictionary } from "../../kit/i18n.ts";
import { messengerName } from "../../kit/messenger.tsx";
import { Badge, Notice, type Tone } from "../../kit/notice.tsx";
import { toast } from "../../kit/toast.tsx";
import { agoText, durationText, numberText } from "../format.ts";
import { Card, ChannelStatus, Confirm, Facts, Load, Time, View } from "../parts.tsx";
import { ask, hrefTo, mayAct, useAct, useLoad } from "../state.ts";
import { channelState, words as common } from "../words.ts";
import { ChannelLog } from "./channel-log.tsx";
import { ChannelNotice } from "./channel-notice.tsx";
import { Pacing } from "./channel-pacing.tsx";
import { Queue } from "./channel-queue.tsx";
import { Refused } from "./channel-refused.tsx";
import { type Channel, channelName, phoneText } from "./channels.tsx";

const words = dictionary({
  en: {
    reconnect: "Reconnect",
    reconnectText:
      "The channel restarts with its stored credentials, and its messages wait in the queue. If a code must be scanned or a key entered, open the connect page instead.",
    page: "Open the connect page",
    stop: "Stop sending",
    stopText: "The channel sends nothing until you resume. Messages accepted meanwhile wait in the queue.",
    goOn: "Resume sending",
    about: "About",
    messenger: "Messenger",
    node: "Node",
    created: "Created",
    earlier: "Earlier messages",
    earlierWaiting: "not started",
    earlierRunning: "being imported",
    earlierDone: "imported",
    earlierCut: "imported until the quota was used up",
    phone: "Phone",
    username: "Username",
    states: "States",
    statesEmpty: "No changes recorded yet.",
    messages: "Messages of this channel",
    started: "The channel is restarting",
  },
  ru: {
    reconnect: "Подключить снова",
    reconnectText:
      "Канал запустится снова с тем, что у него есть. Сообщения пока подождут. Если нужен QR-код или ключ, откройте страницу подключения.",
    page: "Страница подключения",
    stop: "Остановить отправку",
    stopText: "Через канал ничего не уйдёт, пока вы не разрешите. Принятое за это время подождёт.",
    goOn: "Разрешить отправку",
    about: "О канале",
    messenger: "Мессенджер",
    node: "Открыт на узле",
    created: "Создан",
    earlier: "Прежние сообщения",
    earlierWaiting: "ещё не начато",
    earlierRunning: "загружаются",
    earlierDone: "загружены",
    earlierCut: "загружены, пока не кончилась квота",
    phone: "Телефон",
    username: "Имя пользователя",
    states: "Состояния",
    statesEmpty: "Пока ничего.",
    messages: "Сообщения канала",
    started: "Канал запускается снова",
  },
});

export function ChannelView({ accountId, id }: { readonly accountId: string; readonly id: string }) {
  const path = { account: accountId, channel: id };
  const channel = useLoad("getConsoleChannel", { path }, 5_000);
  const { data } = channel;
  return (
    <View
      title={data === undefined ? common.value.channels : channelName(data)}
      back={{ href: hrefTo(["channels"]), text: common.value.channels }}
      actions={
        data !== undefined && mayAct.value && <Actions channel={data} onChange={() => channel.reload()} />
      }
    >
      <Load from={channel}>
        {(found) => (
          <div class="grid min-w-0 gap-4 lg:grid-cols-2">
            <div class="grid gap-2 empty:hidden lg:col-span-2">
              <ChannelNotice channel={found} />
            </div>
            <About channel={found} />
            <States key={found.statusAt} path={path} />
            <Pacing accountId={accountId} id={id} />
            <Queue channel={found} onChange={() => channel.reload()} />
            <div class="min-w-0 lg:col-span-2">
              <Refused path={path} />
            </div>
            <div class="min-w-0 lg:col-span-2">
              <ChannelLog path={path} />
            </div>
          </div>
        )}
      </Load>
    </View>
  );
}

function Actions({ channel, onChange }: { readonly channel: Channel; readonly onChange: () => void }) {
  const [dialog, setDialog] = useState<"stop" | "reconnect">();
  const { busy, problem, run } = useAct();
  const path = { account: String(channel.accountId), channel: channel.id };
  const close = () => setDialog(undefined);
  const goOn = () => run(() => ask("goOnSending", { path }).then(onChange));
  const openPage = () =>
    run(async () => {
      const { link } = await ask("linkToChannel", { path });
      window.open(link, "_blank", "noopener");
    });
  return (
    <>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      {channel.stoppedAt === null ? (
        <Button onPress={() => setDialog("stop")}>{words.value.stop}</Button>
      ) : (
        <Button look="primary" busy={busy} onPress={goOn}>
          {words.value.goOn}
        </Button>
      )}
      <Button busy={busy} onPress={openPage}>
        {words.value.page}
      </Button>
      <Button onPress={() => setDialog("reconnect")}>{words.value.reconnect}</Button>
      <Confirm
        title={words.value.stop}
        text={words.value.stopText}
        action={words.value.stop}
        open={dialog === "stop"}
        onClose={close}
        onConfirm={() => ask("stopSending", { path }).then(onChange)}
      />
      <Confirm
        title={words.value.reconnect}
        text={words.value.reconnectText}
        action={words.value.reconnect}
        danger={false}
        open={dialog === "reconnect"}
        onClose={close}
        onConfirm={async () => {
          await ask("restartChannel", { path });
          toast(words.value.started);
          onChange();
        }}
      />
    </>
  );
}

function About({ channel }: { readonly channel: Channel }) {
  const { phone, username } = channel;
  return (
    <Card title={words.value.about}>
      <Facts
        facts={[
          [common.value.status, <ChannelStatus key="status" channel={channel} />],
          [words.value.messenger, messengerName(channel)],
          ...(phone === "" || phone === username ? [] : ([[words.value.phone, phoneText(phone)]] as const)),
          ...(username === "" ? [] : ([[words.value.username, username]] as const)),
          [words.value.node, channel.node ?? common.value.none],
          [
            common.value.account,
            <a key="account" href={hrefTo(["accounts", String(channel.accountId)])}>
              {channel.accountName}
            </a>,
          ],
          ...(channel.history == null
            ? []
            : ([[words.value.earlier, earlierText(channel.history)]] as const)),
          [words.value.created, <Time key="created" at={channel.createdAt} />],
          [
            common.value.id,
            <code key="id" class="font-mono text-xs">
              {channel.id}
            </code>,
          ],
          [
            common.value.messages,
            <a
              key="messages"
              href={hrefTo(["messages"], { channel: channel.id, account: String(channel.accountId) })}
            >
              {words.value.messages}
            </a>,
          ],
        ]}
      />
    </Card>
  );
}

/** The import of earlier messages: state, percent and count. */
function earlierText({ status, progress, messages, is_cut: isCut }: NonNullable<Channel["history"]>): string {
  const percent = status === "running" && progress !== null ? `${progress}%` : null;
  const { earlierCut, earlierWaiting, earlierRunning, earlierDone } = words.value;
  const states = { waiting: earlierWaiting, running: earlierRunning, done: earlierDone };
  const state = isCut ? earlierCut : states[status];
  return [state, percent, numberText(messages)].filter((part) => part !== null).join(" · ");
}

const TONES: Readonly<Record<string, Tone>> = { active: "ok", init: "wait", disabled: "bad" };

function States({ path }: { readonly path: { readonly account: string; readonly channel: string } }) {
  const states = useLoad("listChannelStates", { path }, 10_000);
  return (
    <Card title={words.value.states}>
      <Load from={states} empty={words.value.statesEmpty}>
        {(rows) => (
          <ol class="grid max-h-80 gap-3 overflow-auto p-4 text-sm">
            {rows.map((state, index) => {
              const until = rows[index - 1]?.at;
              return (
                <li key={`${state.at} ${state.reason}`} class="flex flex-wrap items-center gap-2">
                  <Time at={state.at} />
                  <Badge tone={TONES[state.status] ?? "neutral"}>{channelState(state)}</Badge>
                  <span class="text-xs text-dim">
                    {until === undefined
                      ? agoText(state.at)
                      : durationText(Date.parse(until) - Date.parse(state.at))}
                  </span>
                </li>
              );
            })}
          </ol>
        )}
      </Load>
    </Card>
  );
}
