import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Refusal } from "../kit/api/client.ts";
import { Button } from "../kit/button.tsx";
import { copyText } from "../kit/copy-text.ts";
import { Field } from "../kit/field.tsx";
import { Icon } from "../kit/icon.tsx";
import { Notice } from "../kit/notice.tsx";
import { Step } from "./frame.tsx";
import { pairingGuideOf } from "./guides.ts";
import { PhoneGuide } from "./phone-guide.tsx";
import { ask, type Channel, show } from "./state.ts";
import { words } from "./texts/texts.ts";
import { useAction } from "./use-action.ts";

interface FormProps {
  readonly label: string;
  readonly hint: string;
  readonly action: string;
  readonly secret?: boolean;
  readonly inputMode?: "numeric" | "tel";
  readonly start?: string;
  readonly send: (value: string) => Promise<unknown>;
  readonly explain?: (error: unknown) => string | undefined;
  readonly children?: ComponentChildren;
}

/** One field and one button. */
export function OneField({ label, hint, action, send, explain, children, ...input }: FormProps) {
  const [value, setValue] = useState(input.start ?? "");
  const { busy, problem, run, complain } = useAction();
  return (
    <form
      class="grid gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (value.trim() === "") complain(words.value.required);
        else run(() => send(value.trim()), explain);
      }}
    >
      <Field
        name="value"
        label={label}
        hint={hint}
        value={value}
        error={problem}
        secret={input.secret ?? false}
        inputMode={input.inputMode ?? "text"}
        autoComplete={input.inputMode === "numeric" ? "one-time-code" : "off"}
        onInput={setValue}
      />
      <Button look="primary" type="submit" busy={busy}>
        {action}
      </Button>
      {children}
    </form>
  );
}

interface StepProps {
  readonly channel: Channel;
  readonly onBack: () => void;
}

/** A code to enter on the phone. */
export function PairingStep({ channel, onBack }: StepProps) {
  const [code, setCode] = useState<string>();
  const path = { id: channel.channel_id };
  return (
    <Step title={words.value.pairingCode} transport={channel.transport}>
      {code === undefined ? (
        <OneField
          label={words.value.phone}
          hint={words.value.phoneHint}
          action={words.value.getCode}
          inputMode="tel"
          start={channel.phone}
          send={async (phone) => setCode((await ask("pairChannel", { path, body: { phone } })).code)}
        />
      ) : (
        <>
          <div class="flex flex-wrap items-center justify-center gap-3 rounded-lg border border-line bg-pane p-4">
            <output class="font-mono text-xl font-semibold tracking-widest">{spaced(code)}</output>
            <Button label={words.value.copy} onPress={() => copyText(code, words.value.copied)}>
              <Icon name="copy" />
            </Button>
          </div>
          <PhoneGuide steps={pairingGuideOf(channel.transport)} />
          <p role="status" class="text-sm text-dim">
            {words.value.pairingWait}
          </p>
        </>
      )}
      <Button look="quiet" onPress={onBack}>
        {words.value.byQr}
      </Button>
    </Step>
  );
}

/** `ABCD1234` → `ABCD-1234`, as phones show it. */
function spaced(code: string): string {
  return code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code;
}

/** The messenger sends a code to the number, which the channel then waits for. */
export function PhoneStep({ channel, onBack }: StepProps) {
  const path = { id: channel.channel_id };
  return (
    <Step title={words.value.byPhone} transport={channel.transport}>
      <OneField
        label={words.value.phone}
        hint={words.value.phoneHint}
        action={words.value.getCode}
        inputMode="tel"
        start={channel.phone}
        send={async (phone) => show(await ask("sendCodeToPhone", { path, body: { phone } }))}
      />
      <Button look="quiet" onPress={onBack}>
        {words.value.byQr}
      </Button>
    </Step>
  );
}

/** The code sent by the messenger, or the two-step password. */
export function SecretStep({ channel }: { readonly channel: Channel }) {
  const [attempts, setAttempts] = useState(0);
  const path = { id: channel.channel_id };
  const isCode = channel.reason === "wait_for_code";
  const explain = (error: unknown): string | undefined => {
    if (!(error instanceof Refusal) || error.code !== "WRONG_PASSWORD") return undefined;
    setAttempts(attempts + 1);
    return isCode ? words.value.wrongCode : words.value.wrongPassword(attempts + 1);
  };
  return (
    <Step title={isCode ? words.value.code : words.value.password} transport={channel.transport}>
      <OneField
        key={channel.reason}
        label={isCode ? words.value.code : words.value.password}
        hint={isCode ? words.value.codeHint : words.value.passwordHint}
        action={words.value.continue}
        secret={!isCode}
        {...(isCode ? { inputMode: "numeric" as const } : {})}
        send={async (secret) => show(await ask("submitSecret", { path, body: { secret } }))}
        explain={explain}
      >
        {channel.password_hint !== null && (
          <Notice tone="neutral">{words.value.hint(channel.password_hint)}</Notice>
        )}
      </OneField>
    </Step>
  );
}
