import type { Operations } from "../kit/api/generated.ts";
import { Icon, type IconName } from "../kit/icon.tsx";
import { LongText } from "../kit/long-text.tsx";
import { beginning } from "../kit/pieces.ts";
import { LogLine } from "./channel/channel-log.tsx";
import { clockText, durationText, exactTimeText, shellWord } from "./format.ts";
import { MessageStatus } from "./messages.tsx";
import { AccountName, Card, Code, Copy, Empty, Facts, Load, View } from "./parts.tsx";
import { hrefTo, useLoad } from "./state.ts";
import { commonWords as common, messagesWords as statuses, messageWords as words } from "./texts/texts.ts";
import { DeliveryTable } from "./webhook/delivery-table.tsx";

/** Messengers' descriptions of errors are at most some sentences. */
const ERROR_LENGTH = 1_000;

type Story = Operations["getMessageStory"]["output"];

export function MessageView({ accountId, id }: { readonly accountId: string; readonly id: string }) {
  const story = useLoad("getMessageStory", { path: { account: accountId, message: id } }, 5_000);
  const deliveries = useLoad(
    "accountListDeliveries",
    { path: { account: accountId }, query: { messageId: id, limit: 50 } },
    5_000,
  );
  return (
    <View
      title={words.value.message}
      back={{ href: hrefTo(["messages"]), text: common.value.messages }}
      actions={
        story.data !== undefined &&
        story.data.direction === "out" && <Copy text={curlOf(story.data)} label={words.value.asCurl} />
      }
    >
      <Load from={story}>
        {(found) => (
          <>
            <div class="grid min-w-0 gap-4 lg:grid-cols-2">
              <Card title={words.value.timeline}>
                <Timeline story={found} deliveries={deliveries.data?.data ?? []} accountId={accountId} />
              </Card>
              <About story={found} />
            </div>
            {found.direction === "out" && <Exchanges story={found} />}
            <Card title={words.value.deliveries}>
              <Load from={deliveries} rows={2}>
                {({ data }) => (
                  <DeliveryTable accountId={accountId} rows={data} empty={words.value.deliveriesEmpty} />
                )}
              </Load>
            </Card>
          </>
        )}
      </Load>
    </View>
  );
}

/** Why it was not sent, or not at once: what the log of its channel says about it. */
function Exchanges({ story: { exchanges } }: { readonly story: Story }) {
  return (
    <Card title={words.value.exchanges}>
      {exchanges.length === 0 ? (
        <Empty>{words.value.exchangesEmpty}</Empty>
      ) : (
        <ol class="-mt-px">
          {exchanges.map((line) => (
            <LogLine key={line.id} line={line} />
          ))}
        </ol>
      )}
    </Card>
  );
}

interface Step {
  readonly at: string;
  /** The request that it is about. */
  readonly href?: string;
  readonly text: string;
  readonly icon: IconName;
  readonly tone: string;
}

/** The history of the message, oldest first. */
function stepsOf(story: Story): Step[] {
  const plain = "text-dim";
  const steps: Step[] = [];
  const add = (at: string | null, text: string, icon: IconName, tone = plain) => {
    if (at !== null) steps.push({ at, text, icon, tone });
  };
  const { status, direction } = story;
  const isOut = direction === "out";
  add(story.createdAt, isOut ? words.value.accepted : words.value.received, "check");
  const wasSent = ["sent", "delivered", "read"].includes(status);
  if (isOut && wasSent)
    add(status === "sent" ? (story.statusAt ?? story.sentAt) : sentAt(story), words.value.sent, "send");
  add(story.deliveredAt, words.value.delivered, "check", "text-ok");
  if (status === "read") add(story.statusAt, words.value.read, "eye", "text-ok");
  if (status === "error")
    add(story.statusAt ?? story.createdAt, `${words.value.failed}: ${errorText(story)}`, "alert", "text-bad");
  add(story.unsureSince, words.value.unsure, "alert", "text-wait");
  add(story.editedAt, words.value.edited, "info");
  add(story.deletedAt, words.value.deleted, "close");
  for (const event of story.events)
    add(event.at, words.value.told([event.kind, event.status].filter(Boolean).join(" ")), "external");
  return steps.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** The event about it is most exact; otherwise the messenger's own time. */
function sentAt(story: Story): string {
  return story.events.find(({ status }) => status === "sent")?.at ?? story.sentAt;
}

function errorText({ error, errorCode }: Story): string {
  const { description } = (error ?? {}) as { description?: string };
  return beginning([errorCode, description].filter(Boolean).join(" · "), ERROR_LENGTH);
}

type Deliveries = Operations["accountListDeliveries"]["output"]["data"];

interface TimelineProps {
  readonly story: Story;
  readonly deliveries: Deliveries;
  readonly accountId: string;
}

/** The requests to receivers that contained its events. */
function stepsOfDeliveries(deliveries: Deliveries, accountId: string): Step[] {
  return deliveries.map(({ id, at, result, status, failure }) => ({
    at,
    text: words.value.posted(String(status ?? failure ?? result)),
    icon: "external",
    tone: result === "delivered" ? "text-ok" : "text-bad",
    href: hrefTo(["webhooks", accountId, String(id)]),
  }));
}

function Timeline({ story, deliveries, accountId }: TimelineProps) {
  const steps = [...stepsOf(story), ...stepsOfDeliveries(deliveries, accountId)].toSorted(
    (a, b) => Date.parse(a.at) - Date.parse(b.at),
  );
  return (
    <ol class="grid gap-3 p-4 text-sm">
      {steps.map((step, index) => {
        const before = steps[index - 1];
        return (
          <li key={`${step.at} ${step.text} ${step.href}`} class="flex gap-3">
            <span class={`mt-0.5 ${step.tone}`}>
              <Icon name={step.icon} />
            </span>
            <span class="min-w-0 flex-1">
              {step.href === undefined ? step.text : <a href={step.href}>{step.text}</a>}
            </span>
            <span class="grid justify-items-end text-xs text-dim">
              <time dateTime={step.at} title={exactTimeText(step.at)} class="whitespace-nowrap">
                {clockText(step.at)}
              </time>
              {before !== undefined && (
                <span>{words.value.later(durationText(Date.parse(step.at) - Date.parse(before.at)))}</span>
              )}
            </span>
          </li>
        );
      })}
      {story.status === "queued" && (
        <li class="flex gap-3 text-wait">
          <Icon name="clock" />
          <span>
            {words.value.waits}
            {(story.attempts ?? 0) > 0 && `, ${words.value.tried(story.attempts ?? 0)}`}
          </span>
        </li>
      )}
    </ol>
  );
}

function About({ story }: { readonly story: Story }) {
  const owner = String(story.accountId);
  const mono = (text: string) => <code class="font-mono text-xs">{text}</code>;
  return (
    <Card title={words.value.about}>
      {story.text !== null && (
        <p class="whitespace-pre-wrap px-4 pt-4" dir="auto">
          <LongText text={story.text}>{(piece) => piece}</LongText>
        </p>
      )}
      <Facts
        facts={[
          [common.value.status, <MessageStatus key="status" message={story} />],
          [words.value.direction, statuses.value[story.direction]],
          [words.value.type, story.type],
          [
            words.value.chat,
            `${beginning(story.chatName || story.chatId)} · ${story.chatType} ${beginning(story.chatId)}`,
          ],
          [
            words.value.channel,
            <a key="channel" href={hrefTo(["channels", owner, story.channelId])}>
              {beginning(story.channelName || story.channelId)}
            </a>,
          ],
          [common.value.account, <AccountName key="account" id={story.accountId} />],
          ...(story.authorName === null
            ? []
            : ([[words.value.author, beginning(story.authorName)]] as const)),
          [words.value.ours, mono(story.id)],
          ...(story.crmMessageId === null ? [] : ([[words.value.crm, mono(story.crmMessageId)]] as const)),
          ...(story.externalId === null ? [] : ([[words.value.theirs, mono(story.externalId)]] as const)),
        ]}
      />
      {story.error !== null && (
        <div class="px-4 pb-4">
          <Code label={words.value.error} text={JSON.stringify(story.error, null, 2)} />
        </div>
      )}
      {story.content !== null && JSON.stringify(story.content) !== "{}" && (
        <div class="px-4 pb-4">
          <Code label={words.value.content} text={JSON.stringify(story.content, null, 2)} />
        </div>
      )}
    </Card>
  );
}

/** The request of the interface that sends the same again. */
function curlOf(story: Story): string {
  const { channelId, chatType, chatId, text } = story;
  const body = JSON.stringify({ channelId, chatType, chatId, text: text ?? "" });
  const address = new URL("../v3/message", location.href.split("#")[0]).href;
  return `curl -X POST ${shellWord(address)} -H 'Authorization: Bearer …' -H 'Content-Type: application/json' -d ${shellWord(body)}`;
}
