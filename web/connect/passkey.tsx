import { Refusal } from "../kit/api/client.ts";
import type { Operations } from "../kit/api/generated.ts";
import { Button, buttonClass } from "../kit/button.tsx";
import { copyText } from "../kit/copy-text.ts";
import { Notice } from "../kit/notice.tsx";
import { Guide, Progress, Step } from "./frame.tsx";
import { snippetOf } from "./passkey-snippet.ts";
import { passkeyWords as texts } from "./passkey-words.ts";
import { OneField } from "./phone-steps.tsx";
import { Share } from "./share.tsx";
import { ask, type Channel, show } from "./state.ts";
import { useAction } from "./use-action.ts";
import { words } from "./words.ts";

type Problem = NonNullable<Channel["passkey_problem"]>;
type Answer = Operations["submitPasskey"]["input"]["body"]["answer"];

/**
 * The passkey of the account. Browsers permit it only on the messenger's site, so a text carries the request there, and
 * the person carries the answer back.
 */
export function PasskeyStep({ channel }: { readonly channel: Channel }) {
  const { passkey } = channel;
  if (passkey?.request == null || passkey.site === null)
    return (
      <Step title={texts.value.title} transport={channel.transport}>
        <Progress text={texts.value.waiting} hint={texts.value.waitingHint} />
      </Step>
    );
  const snippet = snippetOf(passkey.site, passkey.request, texts.value);
  const path = { id: channel.channel_id };
  const { copyStep, openStep, pasteStep, answerStep } = texts.value;
  return (
    <Step title={texts.value.title} transport={channel.transport}>
      <p class="text-dim">{texts.value.hint}</p>
      <Guide steps={[copyStep, openStep, pasteStep, answerStep]} />
      <div class="flex flex-wrap gap-2">
        <Button onPress={() => copyText(snippet, words.value.copied)}>{texts.value.copy}</Button>
        <a class={buttonClass("plain")} href={passkey.site} target="_blank" rel="noreferrer">
          {texts.value.open}
        </a>
      </div>
      <Notice tone="wait">{texts.value.safe}</Notice>
      <OneField
        label={texts.value.answer}
        hint={texts.value.answerHint}
        action={words.value.continue}
        send={async (text) => show(await ask("submitPasskey", { path, body: { answer: parsed(text) } }))}
        explain={explain}
      />
      <Share channelId={channel.channel_id} />
    </Step>
  );
}

/** The messenger asks a person to compare a code with the phone's. */
export function CompareStep({ channel, code }: { readonly channel: Channel; readonly code: string }) {
  const { busy, problem, run } = useAction();
  const confirm = () =>
    run(async () =>
      show(await ask("submitSecret", { path: { id: channel.channel_id }, body: { secret: code } })),
    );
  return (
    <Step title={texts.value.compareTitle} transport={channel.transport}>
      <p class="text-dim">{texts.value.compareHint}</p>
      <p class="rounded-lg border border-line p-6 text-center font-mono text-3xl font-semibold">{code}</p>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Button look="primary" busy={busy} onPress={confirm}>
        {texts.value.same}
      </Button>
      <p class="text-sm text-dim">{texts.value.differ}</p>
    </Step>
  );
}

/** Why the linking with a passkey before failed. */
export function PasskeyProblem({ problem }: { readonly problem: Problem }) {
  return <Notice tone="bad">{texts.value[problem]}</Notice>;
}

class Unreadable extends Error {}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    throw new Unreadable();
  }
}

function explain(error: unknown): string | undefined {
  if (error instanceof Unreadable) return texts.value.unreadable;
  if (!(error instanceof Refusal)) return undefined;
  if (error.code === "VALIDATION_ERROR") return texts.value.malformed;
  if (error.code !== "PASSKEY_REFUSED") return undefined;
  const known: Readonly<Record<string, unknown>> = texts.value;
  const text = known[error.reason ?? ""];
  return typeof text === "string" ? text : texts.value.refused;
}
