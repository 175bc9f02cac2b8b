import { useEffect, useState } from "preact/hooks";
import { Refusal } from "../kit/api/client.ts";
import type { Operations } from "../kit/api/generated.ts";
import { Button, buttonClass } from "../kit/button.tsx";
import { copyText } from "../kit/copy-text.ts";
import { Notice } from "../kit/notice.tsx";
import { connectWith } from "./form.tsx";
import { Guide, Progress, Step } from "./frame.tsx";
import { askExtension, findExtension, hasExtension, NoAnswer } from "./passkey-extension.ts";
import { snippetOf } from "./passkey-snippet.ts";
import { OneField } from "./phone-steps.tsx";
import { Share } from "./share.tsx";
import { ask, type Channel, show } from "./state.ts";
import { passkeyWords as texts, words } from "./texts/texts.ts";
import { useAction } from "./use-action.ts";

type Problem = NonNullable<Channel["passkey_problem"]>;
type Answer = Operations["submitPasskey"]["input"]["body"]["answer"];

/**
 * The passkey of the account. Browsers permit it only on the messenger's site: the extension takes the request there, or
 * a text that the person copies there and whose answer the person carries back.
 */
export function PasskeyStep({ channel }: { readonly channel: Channel }) {
  useEffect(findExtension, []);
  const { passkey } = channel;
  if (passkey?.request == null || passkey.site === null)
    return (
      <Step title={texts.value.title} transport={channel.transport}>
        <Progress text={texts.value.waiting} hint={texts.value.waitingHint} />
      </Step>
    );
  const { site, request } = passkey;
  const send = async (answer: Answer) =>
    show(await ask("submitPasskey", { path: { id: channel.channel_id }, body: { answer } }));
  const byHand = <ByHand site={site} request={request} send={send} />;
  return (
    <Step title={texts.value.title} transport={channel.transport}>
      <p class="text-dim">{texts.value.hint}</p>
      {hasExtension.value ? (
        <>
          <ByExtension request={request} send={send} />
          <details class="rounded-lg border border-line">
            <summary class="px-4 py-3 font-semibold">{texts.value.byHand}</summary>
            <div class="grid gap-5 border-t border-line p-4">{byHand}</div>
          </details>
        </>
      ) : (
        byHand
      )}
      <TimeLeft key={channel.version} passkey={passkey} />
      <div class="grid justify-items-center gap-1">
        <Share channelId={channel.channel_id} label={texts.value.share} />
        <StartOver transport={channel.transport} label={texts.value.startOver} look="quiet" />
      </div>
    </Step>
  );
}

/** Ends the linking, and shows a new QR code. */
function StartOver(props: {
  readonly transport: string;
  readonly label: string;
  readonly look: "plain" | "quiet";
}) {
  const { busy, problem, run } = useAction();
  return (
    <>
      <Button look={props.look} busy={busy} onPress={() => run(() => connectWith(props.transport, {}))}>
        {props.label}
      </Button>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
    </>
  );
}

interface WayProps {
  readonly request: object;
  readonly send: (answer: Answer) => Promise<unknown>;
}

function ByExtension({ request, send }: WayProps) {
  const { busy, problem, run } = useAction();
  return (
    <div class="grid gap-2">
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Button
        look="primary"
        busy={busy}
        onPress={() => run(async () => send(await askExtension<Answer>(request)), explain)}
      >
        {texts.value.usePasskey}
      </Button>
      <p class="text-center text-sm text-dim">{texts.value.usePasskeyHint}</p>
    </div>
  );
}

function ByHand({ site, request, send }: WayProps & { readonly site: string }) {
  const { copyStep, openStep, pasteStep, answerStep } = texts.value;
  const snippet = snippetOf(site, request, texts.value);
  return (
    <>
      <Guide steps={[copyStep, openStep, pasteStep, answerStep]} />
      <div class="flex flex-wrap gap-2">
        <Button onPress={() => copyText(snippet, words.value.copied)}>{texts.value.copy}</Button>
        <a class={buttonClass("plain")} href={site} target="_blank" rel="noreferrer">
          {texts.value.open}
        </a>
      </div>
      <Notice tone="wait">{texts.value.safe}</Notice>
      <OneField
        label={texts.value.answer}
        hint={texts.value.answerHint}
        action={words.value.continue}
        send={async (text) => send(parsed(text))}
        explain={explain}
      />
    </>
  );
}

/** Until the messenger gives up, and until the codes have to be compared. */
function TimeLeft({ passkey }: { readonly passkey: NonNullable<Channel["passkey"]> }) {
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    const start = performance.now();
    const timer = setInterval(() => setPassed(Math.floor((performance.now() - start) / 1_000)), 1_000);
    return () => clearInterval(timer);
  }, []);
  const [left, easy] = [passkey.expires_in ?? 0, passkey.prompt_for ?? 0].map((each) => each - passed);
  if (left === undefined || left <= 0) return null;
  return (
    <p class="text-sm text-dim">
      {texts.value.timeLeft(clock(left))}{" "}
      {easy !== undefined && easy > 0 ? texts.value.easyLeft(clock(easy)) : texts.value.compareLater}
    </p>
  );
}

/** Seconds as `4:07`. */
function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
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
      <p class="rounded-lg border border-line bg-pane p-6 text-center font-mono text-xl font-semibold tracking-widest">
        {code}
      </p>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Button look="primary" busy={busy} onPress={confirm}>
        {texts.value.same}
      </Button>
      <p class="text-sm text-dim">{texts.value.differHint}</p>
      <StartOver transport={channel.transport} label={texts.value.differ} look="plain" />
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
  if (error instanceof NoAnswer)
    return error.reason === "cancelled"
      ? texts.value.cancelled
      : error.reason === "unsupported"
        ? texts.value.tooOld
        : texts.value.extensionFailed;
  if (error instanceof Unreadable) return texts.value.unreadable;
  if (!(error instanceof Refusal)) return undefined;
  if (error.code === "VALIDATION_ERROR") return texts.value.malformed;
  if (error.code !== "PASSKEY_REFUSED") return undefined;
  const known: Readonly<Record<string, unknown>> = texts.value;
  const text = known[error.reason ?? ""];
  return typeof text === "string" ? text : texts.value.refused;
}
