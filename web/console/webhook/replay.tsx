import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Notice } from "../../kit/notice.tsx";
import { zoneText } from "../format.ts";
import { Select } from "../parts.tsx";
import { ask, route, setQuery, useAct } from "../state.ts";
import { commonWords as common, replayWords as words } from "../texts/texts.ts";

const MAX = 10_000;
type Body = Parameters<typeof request>[1];

/** Requests a replay; the view then shows how it goes on. */
async function request(
  accountId: string,
  body: {
    deliveryIds?: number[];
    receiverId?: string;
    result?: "delivered" | "refused" | "failed";
    from?: string;
    to?: string;
  },
  onRequested?: () => void,
): Promise<void> {
  const { replayId } = await ask("accountReplayDeliveries", { path: { account: accountId }, body });
  onRequested?.();
  setQuery({ ...Object.fromEntries(route.value.query), replay: replayId });
}

/** Sends requests of the log again. */
export function ReplayButton({
  accountId,
  ids,
  label,
  onRequested,
}: {
  readonly accountId: string;
  readonly ids: readonly number[];
  readonly label?: string;
  readonly onRequested?: () => void;
}) {
  const { busy, problem, run } = useAct();
  return (
    <>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Button
        look="primary"
        busy={busy}
        onPress={() => run(() => request(accountId, { deliveryIds: [...ids] }, onRequested))}
      >
        {label ?? words.value.replay}
      </Button>
    </>
  );
}

interface RangeProps {
  readonly accountId: string;
  /** "": all receivers of the account. */
  readonly receiverId: string;
}

/** All deliveries of a period, counted first. */
export function RangeReplay(props: RangeProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>{words.value.range}</Button>
      <Dialog title={words.value.rangeTitle} open={open} onClose={() => setOpen(false)}>
        <RangeForm {...props} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function RangeForm({ accountId, receiverId, onClose }: RangeProps & { readonly onClose: () => void }) {
  const [from, setFrom] = useState(local(new Date(Date.now() - 3_600_000)));
  const [to, setTo] = useState(local(new Date(Date.now() + 60_000)));
  const [result, setResult] = useState<"delivered" | "refused" | "failed">("refused");
  const [count, setCount] = useState<number>();
  const { busy, problem, run } = useAct();
  const query: Body & { from: string } = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    result,
    ...(receiverId === "" ? {} : { receiverId }),
  };
  const change = (set: (value: string) => void) => (value: string) => {
    setCount(undefined);
    set(value);
  };
  const look = () =>
    run(async () => {
      const { deliveries } = await ask("countReplay", { path: { account: accountId }, query });
      setCount(deliveries);
    });
  const send = () =>
    run(async () => {
      await request(accountId, query, onClose);
    });
  return (
    <div class="grid gap-4">
      <p class="text-sm text-dim">{words.value.rangeHint}</p>
      <div class="flex flex-wrap gap-3">
        <Moment label={`${words.value.from}, ${zoneText(from)}`} value={from} onChange={change(setFrom)} />
        <Moment label={`${words.value.to}, ${zoneText(to)}`} value={to} onChange={change(setTo)} />
        <Select
          label={words.value.which}
          value={result}
          onChange={change((value) => setResult(value as typeof result))}
          options={(["refused", "failed", "delivered"] as const).map((each) => [each, words.value[each]])}
        />
      </div>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <p role="status">
        {count !== undefined && (count > MAX ? words.value.tooMany : words.value.counted(count))}
      </p>
      <div class="flex flex-wrap justify-end gap-2">
        <Button onPress={onClose}>{common.value.cancel}</Button>
        {count === undefined || count === 0 || count > MAX ? (
          <Button look="primary" busy={busy} onPress={look}>
            {words.value.count}
          </Button>
        ) : (
          <Button look="primary" busy={busy} onPress={send}>
            {words.value.send(count)}
          </Button>
        )}
      </div>
    </div>
  );
}

function Moment({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <label class="grid gap-1 text-sm">
      <span class="text-dim">{label}</span>
      <input
        type="datetime-local"
        required
        class="min-h-10 rounded-md border border-edge bg-bg px-2"
        value={value}
        onInput={(event) => event.currentTarget.value !== "" && onChange(event.currentTarget.value)}
      />
    </label>
  );
}

/** In the format of the field: local time, to the minute. */
function local(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
