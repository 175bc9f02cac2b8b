import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field } from "../../kit/field.tsx";
import { shortName } from "../../kit/messenger.tsx";
import { Notice } from "../../kit/notice.tsx";
import { channels, channelsState, loadChannels } from "../channels.ts";
import type { Channel } from "../model.ts";
import { openNew } from "../navigation.ts";
import { detailWords, words } from "../texts/texts.ts";
import { identityOf } from "../thread/thread-head.tsx";
import { recipientOf } from "./recipient.ts";

type Way = NonNullable<Channel["new_chat"]>["address_by"][number];

/** The person whom a CRM's page opened, without a chat yet. */
export interface Asked {
  readonly name: string;
  readonly phone: string;
  readonly username: string;
}
const NOBODY: Asked = { name: "", phone: "", username: "" };

interface NewChatProps {
  readonly open: boolean;
  readonly asked?: Asked | null;
  readonly onClose: () => void;
}

/** A person without a chat: selects a channel, and their number or name. */
export function NewChat({ open, asked, onClose }: NewChatProps) {
  return (
    <Dialog title={detailWords.value.newChat} close={detailWords.value.close} open={open} onClose={onClose}>
      <NewChatForm asked={asked ?? NOBODY} onDone={onClose} />
    </Dialog>
  );
}

function NewChatForm({ asked, onDone }: { readonly asked: Asked; readonly onDone: () => void }) {
  const usable = channels.value.filter((channel) => channel.can_send && channel.new_chat !== null);
  const [chosenId, setChannelId] = useState("");
  const channel = usable.find(({ channel_id: id }) => id === chosenId) ?? usable[0];
  const ways = channel?.new_chat?.address_by ?? [];
  const [chosenWay, setWay] = useState<Way | null>(null);
  const way = ways.find((each) => each === chosenWay) ?? bestWay(ways, asked);
  const [typed, setTyped] = useState<Partial<Record<Way, string>>>({});
  const [name, setName] = useState(asked.name);
  const [isChecked, setChecked] = useState(false);
  const texts = detailWords.value;
  const labels: Readonly<Record<Way, string>> = {
    phone: texts.byPhone,
    username: texts.byUsername,
  };
  const faults: Readonly<Record<Way, string>> = {
    phone: texts.badPhone,
    username: texts.badUsername,
  };
  const given: Readonly<Record<Way, string>> = {
    phone: asked.phone === "" ? "" : `+${asked.phone}`,
    username: asked.username,
  };
  if (channel === undefined || way === undefined) return <NoChannel />;
  const value = typed[way] ?? given[way];
  const recipient = recipientOf(channel, way, value, name);
  return (
    <form
      class="grid gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        if (recipient === null) return;
        openNew(recipient, channel.transport, name.trim() || value.trim());
        onDone();
      }}
    >
      {usable.length > 1 && (
        <Choice
          label={texts.through}
          value={channel.channel_id}
          options={usable.map((each) => [
            each.channel_id,
            `${shortName(each.transport)} · ${identityOf(each)}`,
          ])}
          onChange={setChannelId}
        />
      )}
      {ways.length > 1 && (
        <Choice
          label={texts.how}
          value={way}
          options={ways.map((each) => [each, labels[each]])}
          onChange={(next) => setWay(ways.find((each) => each === next) ?? null)}
        />
      )}
      <Field
        key={way}
        name={way}
        label={labels[way]}
        value={value}
        inputMode={way === "phone" ? "tel" : "text"}
        hint={way === "phone" ? texts.phoneHint : undefined}
        error={isChecked && recipient === null ? faults[way] : undefined}
        onInput={(next) => setTyped({ ...typed, [way]: next })}
      />
      <Field name="name" label={texts.personName} value={name} required={false} onInput={setName} />
      <Button look="primary" type="submit">
        {texts.start}
      </Button>
    </form>
  );
}

/** In place of the form: the channels are loading or could not be loaded, or none can be used. */
function NoChannel() {
  const state = channelsState.value;
  if (state === "loading") return <div class="appears-late h-40 rounded-lg bg-line/50" aria-busy="true" />;
  if (state === "loaded") return <Notice tone="neutral">{detailWords.value.noChannel}</Notice>;
  return (
    <div class="grid justify-items-start gap-3">
      <Notice tone="bad">
        {words.value.failedLoad} {state.problem}
      </Notice>
      <Button onPress={() => void loadChannels()}>{words.value.retry}</Button>
    </div>
  );
}

/** The identifier known for the person is preferred, else the channel's own order. */
function bestWay(ways: readonly Way[], asked: Asked): Way | undefined {
  const known: readonly [Way, string][] = [
    ["phone", asked.phone],
    ["username", asked.username],
  ];
  return known.find(([way, value]) => value !== "" && ways.includes(way))?.[0] ?? ways[0];
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label class="grid gap-1 font-semibold">
      {label}
      <select
        class="h-11 w-full min-w-0 rounded-md border border-edge bg-bg px-3 font-normal"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
