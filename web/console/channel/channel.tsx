import { messengerName } from "../../kit/messenger-name.ts";
import { Badge, type Tone } from "../../kit/notice.tsx";
import { agoText, durationText, numberText } from "../format.ts";
import { AccountName, Card, ChannelStatus, Facts, Load, Time, View } from "../parts.tsx";
import { hrefTo, mayAct, useLoad } from "../state.ts";
import { commonWords as common, channelWords as words } from "../texts/texts.ts";
import { ConnectPageButton, ReconnectButton, SendingButton } from "./channel-actions.tsx";
import { ChannelLog } from "./channel-log.tsx";
import { ChannelNotice, remedyAction } from "./channel-notice.tsx";
import { Pacing } from "./channel-pacing.tsx";
import { Queue } from "./channel-queue.tsx";
import { Refused } from "./channel-refused.tsx";
import { channelState } from "./channel-state.ts";
import { type Channel, channelName, phoneText } from "./channels.tsx";

export function ChannelView({ accountId, id }: { readonly accountId: string; readonly id: string }) {
  const path = { account: accountId, channel: id };
  const channel = useLoad("getConsoleChannel", { path }, 5_000);
  const { data } = channel;
  return (
    <View
      title={data === undefined ? common.value.channels : channelName(data)}
      back={{ href: hrefTo(["channels"]), text: common.value.channels }}
      actions={
        data !== undefined &&
        mayAct.value && (
          <>
            <SendingButton channel={data} onChange={channel.reload} />
            {remedyAction(data) !== "page" && <ConnectPageButton channel={data} />}
            {remedyAction(data) !== "reconnect" && (
              <ReconnectButton channel={data} onChange={channel.reload} />
            )}
          </>
        )
      }
    >
      <Load from={channel}>
        {(found) => (
          <div class="grid min-w-0 gap-4 lg:grid-cols-2">
            <div class="grid gap-2 empty:hidden lg:col-span-2">
              <ChannelNotice channel={found} onChange={channel.reload} />
            </div>
            <About channel={found} />
            <States key={found.statusAt} path={path} connect={found.connect} />
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
          [common.value.account, <AccountName key="account" id={channel.accountId} />],
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

interface StatesProps {
  readonly path: { readonly account: string; readonly channel: string };
  readonly connect: string;
}

function States({ path, connect }: StatesProps) {
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
                  <Badge tone={TONES[state.status] ?? "neutral"}>{channelState({ ...state, connect })}</Badge>
                  <span class="text-xs text-dim">
                    {until === undefined
                      ? agoText(state.at)
                      : durationText(Date.parse(until) - Date.parse(state.at))}
                  </span>
                  {state.detail !== null && <span class="w-full text-xs text-dim">{state.detail}</span>}
                </li>
              );
            })}
          </ol>
        )}
      </Load>
    </Card>
  );
}
