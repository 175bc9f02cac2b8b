import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Badge } from "../../kit/notice.tsx";
import { beginning } from "../../kit/pieces.ts";
import { toast } from "../../kit/toast.tsx";
import { agoText } from "../format.ts";
import { Card, Confirm, Load } from "../parts.tsx";
import { ask, hrefTo, mayAct, useLoad } from "../state.ts";
import { queueWords as words } from "../texts/texts.ts";
import { type Channel, channelName } from "./channels.tsx";

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
