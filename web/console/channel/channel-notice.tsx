import type { ComponentChildren } from "preact";
import { Notice } from "../../kit/notice.tsx";
import { Restrictions } from "../../kit/restrictions.tsx";
import { agoText } from "../format.ts";
import { hrefTo, isOperator } from "../state.ts";
import { channelState } from "../words.ts";
import { remedies, words } from "./channel-notice-words.ts";
import type { Channel } from "./channels.tsx";

/** Longer waits of the oldest message are shown as a problem. */
const WAITS_LONG_MS = 5 * 60_000;

/** The problem of a channel, since when, and the remedy; nothing while it works. */
export function ChannelNotice({ channel }: { readonly channel: Channel }) {
  const { status, statusAt, stoppedAt, node, queued, oldestAt } = channel;
  const isActive = status === "active";
  const waits = oldestAt !== null && Date.now() - Date.parse(oldestAt) > WAITS_LONG_MS;
  return (
    <>
      {!isActive && (
        <Line
          tone={status === "disabled" ? "bad" : "wait"}
          what={words.value.state(channelState(channel), agoText(statusAt))}
          todo={remedyOf(channel)}
        />
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
}

function Line({ tone, what, todo }: LineProps) {
  return (
    <Notice tone={tone}>
      <p class="font-semibold">{what}</p>
      <p>{todo}</p>
    </Notice>
  );
}

function remedyOf({ status, reason, unpaid }: Channel): string {
  const known: Readonly<Record<string, string>> = remedies.value;
  const state = unpaid ? "not_enough_money" : (reason ?? status);
  return known[state] ?? remedies.value.disabled;
}
