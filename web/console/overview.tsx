import type { Operations } from "../kit/api/generated.ts";
import { Icon } from "../kit/icon.tsx";
import { MessengerMark } from "../kit/messenger.tsx";
import { channelState } from "./channel/channel-state.ts";
import { agoText, durationText, numberText } from "./format.ts";
import { Card, Empty, Load, View } from "./parts.tsx";
import { account, accountName, hrefTo, useLoad } from "./state.ts";
import { commonWords as common, overviewWords as words } from "./texts/texts.ts";

type Overview = Operations["getOverview"]["output"];
type Attention = Overview["attention"][number];
type Hour = Overview["hours"][number];

export function OverviewView() {
  const query = account.value === null ? {} : { account: account.value };
  const overview = useLoad("getOverview", { query }, 10_000);
  return (
    <View title={common.value.overview}>
      <Load from={overview} rows={6}>
        {({ hours, attention }) => (
          <>
            <Numbers hours={hours} />
            <Card title={words.value.attention}>
              {attention.length === 0 ? (
                <Empty>{words.value.well}</Empty>
              ) : (
                <ul>
                  {attention.map((each) => (
                    <AttentionRow key={`${each.kind} ${each.subject} ${each.reason}`} item={each} />
                  ))}
                </ul>
              )}
            </Card>
          </>
        )}
      </Load>
    </View>
  );
}

function Numbers({ hours }: { readonly hours: readonly Hour[] }) {
  const total = (name: "accepted" | "sent" | "failed" | "inbound") =>
    hours.reduce((sum, hour) => sum + hour[name], 0);
  const accepted = total("accepted");
  const share = (part: number) =>
    accepted === 0
      ? words.value.messages
      : words.value.ofAccepted(numberText(Math.round((part / accepted) * 1_000) / 10));
  const lag = hours.at(-1)?.lag ?? 0;
  return (
    <section aria-label={words.value.day}>
      <p class="mb-2 text-sm text-dim">{words.value.day}</p>
      <dl class="grid grid-cols-2 gap-3 md:grid-cols-5">
        <Figure
          name={words.value.accepted}
          value={numberText(accepted)}
          hint={words.value.messages}
          points={hours.map((hour) => hour.accepted)}
        />
        <Figure
          name={words.value.sent}
          value={numberText(total("sent"))}
          hint={share(total("sent"))}
          points={hours.map((hour) => hour.sent)}
        />
        <Figure
          name={words.value.failed}
          value={numberText(total("failed"))}
          hint={share(total("failed"))}
          points={hours.map((hour) => hour.failed)}
          bad={total("failed") > 0}
        />
        <Figure
          name={words.value.inbound}
          value={numberText(total("inbound"))}
          hint={words.value.messages}
          points={hours.map((hour) => hour.inbound)}
        />
        <Figure
          name={words.value.lag}
          value={durationText(lag * 1_000)}
          hint={words.value.lagHint}
          points={hours.map((hour) => hour.lag)}
          bad={lag > 60}
        />
      </dl>
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly hint: string;
  readonly points: readonly number[];
  readonly bad?: boolean;
}

function Figure({ name, value, hint, points, bad = false }: FigureProps) {
  return (
    <div class="flex flex-col gap-1 rounded-lg border border-line p-3 max-md:last:col-span-2">
      <dt class="text-sm text-dim">{name}</dt>
      <dd class="flex flex-1 flex-col gap-1">
        <span class={`text-xl font-semibold ${bad ? "text-bad" : ""}`}>{value}</span>
        <span class="text-xs text-dim">{hint}</span>
        <Sparkline points={points} bad={bad} />
      </dd>
    </div>
  );
}

const [WIDTH, HEIGHT] = [120, 28];

/** Decorative: the number is above it. */
function Sparkline({ points, bad }: { readonly points: readonly number[]; readonly bad: boolean }) {
  const top = Math.max(1, ...points);
  const width = WIDTH / points.length;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      class={`mt-auto h-7 w-full pt-1 ${bad ? "text-bad" : "text-accent-text"}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {points.map((point, hour) => {
        const height = point === 0 ? 1 : Math.max(2, (point / top) * HEIGHT);
        return (
          <rect
            key={hour}
            x={hour * width}
            y={HEIGHT - height}
            width={width - 1}
            height={height}
            fill="currentColor"
            opacity={point === 0 ? 0.3 : 1}
          />
        );
      })}
    </svg>
  );
}

function AttentionRow({ item }: { readonly item: Attention }) {
  const { level, since, transport, name, accountId } = item;
  const href = whereTo(item);
  const owner = accountId === null ? "" : accountName(accountId);
  const detail = [name, owner, since === null ? "" : words.value.since(agoText(since))].filter(
    (part) => part !== "",
  );
  return (
    <li class="flex flex-wrap items-center gap-3 border-b border-line px-4 py-3 last:border-0">
      <span class={level === "bad" ? "text-bad" : "text-wait"}>
        <Icon name={level === "bad" ? "alert" : "clock"} size={20} />
      </span>
      {transport !== null && <MessengerMark transport={transport} size={28} />}
      <div class="min-w-0 flex-1 basis-48">
        <p class="font-semibold">{whatIs(item)}</p>
        <p class="text-sm text-dim">{detail.join(" · ")}</p>
      </div>
      {href === null ? (
        <p class="text-sm">{words.value[`${item.kind}Do`]}</p>
      ) : (
        <a href={href} class="inline-flex min-h-6 items-center gap-1 text-sm">
          {words.value[`${item.kind}Do`]}
          <Icon name="chevron" />
        </a>
      )}
    </li>
  );
}

function whatIs({ kind, reason, count }: Attention): string {
  const text = words.value[kind];
  if (kind === "no_node") return words.value.no_node(reason ?? "");
  if (kind === "channel_down")
    return `${words.value.channel_down}: ${channelState({ status: "disabled", reason })}`;
  return typeof text === "string" ? text : (text as (count: number) => string)(count);
}

function whereTo({ kind, accountId, subject }: Attention): string | null {
  const owner = String(accountId);
  switch (kind) {
    case "no_node":
    case "upkeep_fails":
    case "older_node":
    case "sink_failing":
    case "sink_parked":
      return hrefTo(["system"]);
    case "exports_fail":
      return hrefTo(["exports"]);
    case "receiver_failing":
      return hrefTo(["webhooks", owner], { receiver: subject, result: "failing" });
    case "receiver_paused":
    case "events_parked":
      return hrefTo(["webhooks", owner], { receiver: subject });
    default:
      return hrefTo(["channels", owner, subject]);
  }
}
