import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { dictionary, pluralEn, pluralRu } from "../../kit/i18n.ts";
import { Badge } from "../../kit/notice.tsx";
import { beginning } from "../../kit/pieces.ts";
import { toast } from "../../kit/toast.tsx";
import { agoText } from "../format.ts";
import { Card, Confirm, Load } from "../parts.tsx";
import { ask, hrefTo, mayAct, useLoad } from "../state.ts";
import { type Channel, channelName } from "./channels.tsx";

const words = dictionary({
  en: {
    queue: "Queue",
    empty: "The queue is empty.",
    clear: "Clear",
    clearText: (count: number) =>
      `${pluralEn(count, { one: "1 message fails", other: `${count} messages fail` })} with “sending was stopped”, and webhooks report it. Messages being sent now are not affected. This cannot be undone.`,
    cleared: (count: number) => `Cleared: ${count}`,
    underWay: "sending",
    edit: "edit",
    remove: "removal",
    react: "reaction",
    mark: "read mark or typing",
    attempts: (count: number) => `${count} attempts`,
  },
  ru: {
    queue: "Очередь",
    empty: "Отправлять нечего.",
    clear: "Очистить",
    clearText: (count: number) =>
      `${pluralRu(count, { one: `${count} сообщение завершится`, few: `${count} сообщения завершатся`, many: `${count} сообщений завершатся` })} как «отправка остановлена», об этом сообщат вебхуки. То, что уже отправляется, уйдёт. Отменить нельзя.`,
    cleared: (count: number) => `Остановлено: ${count}`,
    underWay: "отправляется",
    edit: "правка",
    remove: "удаление",
    react: "реакция",
    mark: "отметка о прочтении или наборе текста",
    attempts: (count: number) => `попыток: ${count}`,
  },
});

/** The waiting jobs of a channel. */
export function Queue({ channel, onChange }: { readonly channel: Channel; readonly onChange: () => void }) {
  const path = { account: String(channel.accountId), channel: channel.id };
  const queue = useLoad("listQueue", { path }, 5_000);
  const [asks, setAsks] = useState(false);
  const clear = async () => {
    const { messages } = await ask("clearQueue", { path });
    toast(words.value.cleared(messages));
    queue.reload();
    onChange();
  };
  const canClear = mayAct.value && (queue.data?.length ?? 0) > 0;
  return (
    <Card
      title={channel.queued === 0 ? words.value.queue : `${words.value.queue} · ${channel.queued}`}
      actions={canClear && <Button onPress={() => setAsks(true)}>{words.value.clear}</Button>}
    >
      <Load from={queue} empty={words.value.empty}>
        {(jobs) => (
          <ul class="max-h-80 overflow-auto text-sm">
            {jobs.map((job) => (
              <li
                key={`${job.messageId} ${job.kind}`}
                class="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2 last:border-0"
              >
                <a
                  href={hrefTo(["messages", path.account, job.messageId])}
                  class="min-w-0 flex-1 basis-40 truncate leading-6"
                >
                  {beginning(job.text ?? job.type)}
                </a>
                <span class="text-dim">{beginning(job.name || job.chatId)}</span>
                {job.kind !== "send" && <Badge tone="neutral">{words.value[job.kind]}</Badge>}
                {job.underWay && <Badge tone="wait">{words.value.underWay}</Badge>}
                {job.attempts > 1 && <span class="text-dim">{words.value.attempts(job.attempts)}</span>}
                <span class="text-dim">{agoText(job.createdAt)}</span>
              </li>
            ))}
          </ul>
        )}
      </Load>
      <Confirm
        title={`${words.value.clear}: ${channelName(channel)}`}
        text={words.value.clearText(channel.queued)}
        action={words.value.clear}
        typed={channelName(channel)}
        open={asks}
        onClose={() => setAsks(false)}
        onConfirm={clear}
      />
    </Card>
  );
}
