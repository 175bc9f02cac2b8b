import type { ComponentChildren } from "preact";
import { Notice } from "../../kit/notice.tsx";
import { Restrictions } from "../../kit/restrictions.tsx";
import { agoText } from "../format.ts";
import { hrefTo, isOperator, mayAct } from "../state.ts";
import { remedies, noticeWords as words } from "../texts/texts.ts";
import { ConnectPageButton, ReconnectButton } from "./channel-actions.tsx";
import { channelState, conditionOf } from "./channel-state.ts";
import type { Channel } from "./channels.tsx";

/** Longer waits of the oldest message are shown as a problem. */
const WAITS_LONG_MS = 5 * 60_000;

/** The problem of a channel, since when, what the messenger said, and the one thing to do; nothing while it works. */
export function ChannelNotice({
  channel,
  onChange,
}: {
  readonly channel: Channel;
  readonly onChange: () => void;
}) {
  const { status, statusAt, stoppedAt, node, queued, oldestAt, detail } = channel;
  const isActive = status === "active";
  const waits = oldestAt !== null && Date.now() - Date.parse(oldestAt) > WAITS_LONG_MS;
  return (
    <>
      {!isActive && (
        <Line
          tone={status === "disabled" ? "bad" : "wait"}
          what={words.value.state(channelState(channel), agoText(statusAt))}
          todo={remedyOf(channel)}
          action={mayAct.value && <Remedy channel={channel} onChange={onChange} />}
        >
          {detail != null && <p class="text-sm">{words.value.said(detail)}</p>}
          {queued > 0 && <p class="text-sm">{words.value.queued(queued)}</p>}
        </Line>
      )}
      <Restrictions of={channel.restrictions} />
      {stoppedAt !== null && (
        <Line tone="wait" what={words.value.stopped(agoText(stoppedAt))} todo={words.value.stoppedDo} />
      )}
      {isActive && node === null && (
        <Line
          tone="bad"
          what={words.value.noNode}
          todo={
            isOperator.value ? (
              <a href={hrefTo(["system"])}>{words.value.noNodeDo}</a>
            ) : (
              words.value.noNodeAdmin
            )
          }
        />
      )}
      {isActive && stoppedAt === null && node !== null && waits && (
        <Line tone="wait" what={words.value.waits(queued, agoText(oldestAt))} todo={words.value.waitsDo} />
      )}
    </>
  );
}

interface LineProps {
  readonly tone: "bad" | "wait";
  readonly what: string;
  readonly todo: ComponentChildren;
  readonly action?: ComponentChildren;
  readonly children?: ComponentChildren;
}

function Line({ tone, what, todo, action, children }: LineProps) {
  return (
    <Notice tone={tone}>
      <div class="flex flex-wrap items-center justify-between gap-3">
        <div class="min-w-0 flex-1 basis-60">
          <p class="font-semibold">{what}</p>
          {children}
          <p>{todo}</p>
        </div>
        {action}
      </div>
    </Notice>
  );
}

/** Conditions in which a person links the channel on its connect page, and in which a restart may help. */
const LINKED_BY_PERSON = new Set([
  "qr",
  "qridle",
  "unlinked",
  "unauthorized",
  "foreignphone",
  "wait_for_password",
  "wait_for_code",
  "wait_for_passkey",
]);
const RESTARTED = new Set(["init", "disabled", "openelsewhere"]);

/** The button of the notice, which the page does not repeat elsewhere. */
export function remedyAction(channel: Channel): "page" | "reconnect" | null {
  if (channel.status === "active") return null;
  const condition = conditionIn(channel);
  if (LINKED_BY_PERSON.has(condition)) return "page";
  return RESTARTED.has(condition) ? "reconnect" : null;
}

function Remedy({ channel, onChange }: { readonly channel: Channel; readonly onChange: () => void }) {
  const action = remedyAction(channel);
  if (action === "page") return <ConnectPageButton channel={channel} look="primary" />;
  if (action === "reconnect") return <ReconnectButton channel={channel} look="primary" onChange={onChange} />;
  return null;
}

function conditionIn(channel: Channel): string {
  return channel.unpaid ? "not_enough_money" : conditionOf(channel);
}

function remedyOf(channel: Channel): string {
  const known: Readonly<Record<string, string>> = remedies.value;
  return known[conditionIn(channel)] ?? remedies.value.disabled;
}
