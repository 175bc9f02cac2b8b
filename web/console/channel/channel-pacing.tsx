import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { toast } from "../../kit/toast.tsx";
import { durationText, zonedTimeText } from "../format.ts";
import { Card, Empty, Facts, Load } from "../parts.tsx";
import { ask, mayAct, useLoad } from "../state.ts";
import { commonWords as common, waits, pacingWords as words } from "../texts/texts.ts";
import { type PacingChange, PacingForm, type PacingView } from "./pacing-form.tsx";

/** The channel's pacing, what its messages wait for, and a form to change it. */
export function Pacing({ accountId, id }: { readonly accountId: string; readonly id: string }) {
  const pacing = useLoad("accountGetPacing", { path: { account: accountId, id } }, 5_000);
  const [changes, setChanges] = useState(false);
  const view = pacing.data?.data[0];
  const save = async (body: PacingChange) => {
    await ask("accountChangePacing", { path: { account: accountId, id }, body });
    toast(words.value.saved);
    setChanges(false);
    pacing.reload();
  };
  return (
    <Card
      title={words.value.pacing}
      actions={
        mayAct.value &&
        view !== undefined && <Button onPress={() => setChanges(true)}>{words.value.change}</Button>
      }
    >
      <Load from={pacing}>
        {({ data: [found] }) =>
          found === undefined ? <Empty>{common.value.none}</Empty> : <Facts facts={factsOf(found)} />
        }
      </Load>
      <Dialog title={words.value.change} open={changes} onClose={() => setChanges(false)}>
        {view !== undefined && <PacingForm view={view} onSave={save} onClose={() => setChanges(false)} />}
      </Dialog>
    </Card>
  );
}

function factsOf({ limits, first_contacts: first, queue, notices }: PacingView) {
  const reasons: Readonly<Record<string, string>> = waits.value;
  const { left, allowance } = first;
  const contacts = allowance === null ? words.value.noLimit : words.value.left(left ?? 0, allowance);
  const held =
    first.held_until === null
      ? []
      : [["", words.value.held(zonedTimeText(first.held_until), first.hold_reason ?? "")] as const];
  return [
    [words.value.perMinute, limits.per_minute],
    [words.value.perChat, limits.chat_per_minute],
    [words.value.jitter, durationText(limits.jitter_ms)],
    [words.value.first, contacts],
    ...held,
    ...queue.waiting.map(
      (group) =>
        [
          words.value.waiting,
          `${reasons[group.for] ?? group.for} · ${words.value.chats(group.chats)}`,
        ] as const,
    ),
    ...notices.slice(0, 3).map((notice) => [words.value.notices, notice.text] as const),
  ] as const;
}
