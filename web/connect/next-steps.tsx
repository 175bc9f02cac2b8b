import { useState } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { Field } from "../kit/field.tsx";
import { locale } from "../kit/i18n.ts";
import { Icon } from "../kit/icon.tsx";
import { toast } from "../kit/toast.tsx";
import { Guide } from "./frame.tsx";
import { ask, type Channel, show } from "./state.ts";
import { nextWords as texts, words } from "./texts/texts.ts";
import { useAction } from "./use-action.ts";

/** After a channel was connected: how to see that it works, and what of it was seen. */
export function NextSteps({ channel }: { readonly channel: Channel }) {
  const { title, write, appears, reply, open, received, answered } = texts.value;
  const address = addressOf(channel);
  const { received_at: receivedAt, answered_at: answeredAt } = channel;
  return (
    <div class="grid gap-3">
      <h2 class="font-semibold">{title}</h2>
      <Guide steps={[write, appears, reply]} />
      {address !== null && (
        <a href={address} target="_blank" rel="noopener noreferrer">
          {open}
        </a>
      )}
      <div class="grid gap-1" role="status">
        {receivedAt !== null && <Seen text={received(timeOf(receivedAt))} />}
        {answeredAt !== null && <Seen text={answered(timeOf(answeredAt))} />}
      </div>
    </div>
  );
}

function Seen({ text }: { readonly text: string }) {
  return (
    <p class="flex items-center gap-2 font-semibold text-ok">
      <Icon name="check" />
      {text}
    </p>
  );
}

function timeOf(at: string): string {
  return new Date(at).toLocaleTimeString(locale.value, { timeStyle: "short" });
}

/** The name that employees see, instead of the messenger account's. */
export function ChannelName({ channel }: { readonly channel: Channel }) {
  const [name, setName] = useState(channel.name);
  const { busy, problem, run, complain } = useAction();
  const save = async () => {
    const path = { id: channel.channel_id };
    show(await ask("renameChannel", { path, body: { name: name.trim() } }));
    toast(texts.value.saved);
  };
  return (
    <form
      class="grid gap-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === "") complain(words.value.required);
        else run(save);
      }}
    >
      <Field
        name="name"
        label={texts.value.name}
        hint={texts.value.nameHint}
        value={name}
        error={problem}
        onInput={setName}
      />
      <Button type="submit" busy={busy}>
        {texts.value.save}
      </Button>
    </form>
  );
}

/** Where other people write to the account; null if the messenger has no such address. */
function addressOf({ transport, phone, username }: Channel): string | null {
  const number = /^\d{5,15}$/.test(phone) ? phone : null;
  switch (transport) {
    case "whatsapp":
    case "wapi":
      return number === null ? null : `https://wa.me/${number}`;
    case "telegram":
    case "tgapi":
      return username === "" ? null : `https://t.me/${encodeURIComponent(username)}`;
    case "instagram":
      return username === "" ? null : `https://ig.me/m/${encodeURIComponent(username)}`;
    default:
      return null;
  }
}
