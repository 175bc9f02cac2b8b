import { useEffect, useState } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { messengerName, signInName } from "../kit/messenger-name.ts";
import { Notice } from "../kit/notice.tsx";
import { CredentialsForm, connectWith } from "./form.tsx";
import { Guide, Progress, Step } from "./frame.tsx";
import { guideOf } from "./guides.ts";
import { ask, follow, staying, type Transport } from "./state.ts";
import { words } from "./texts/texts.ts";
import { useAction } from "./use-action.ts";

/** How this messenger is connected: by a code, by signing in, by a link, or by credentials. */
export function Begin({ transport }: { readonly transport: Transport }) {
  const title = words.value.connectTo(messengerName(transport));
  return (
    <Step title={title} transport={transport.transport}>
      {transport.connect === "qr" ? (
        <AtOnce transport={transport} />
      ) : transport.connect === "invitation" ? (
        <Invitation transport={transport} />
      ) : transport.sign_in ? (
        <SignIn transport={transport} />
      ) : (
        <>
          <Guide steps={guideOf(transport.transport)} />
          <CredentialsForm transport={transport} />
        </>
      )}
    </Step>
  );
}

/** Nothing to fill in: the code appears automatically. */
function AtOnce({ transport }: { readonly transport: Transport }) {
  const { problem, run } = useAction();
  const begin = () => run(() => connectWith(transport.transport, {}));
  useEffect(begin, []);
  if (problem === undefined) return <Progress text={words.value.starting} hint={words.value.startingHint} />;
  return (
    <>
      <Notice tone="bad">{problem}</Notice>
      <Button look="primary" onPress={begin}>
        {words.value.retry}
      </Button>
    </>
  );
}

function Invitation({ transport }: { readonly transport: Transport }) {
  const { busy, problem, run } = useAction();
  return (
    <>
      <Guide steps={guideOf(transport.transport)} />
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Button look="primary" busy={busy} onPress={() => run(() => connectWith(transport.transport, {}))}>
        {words.value.getLink}
      </Button>
      <ByHand label={words.value.ownBot} transport={transport} open={problem !== undefined} />
    </>
  );
}

/**
 * The messenger's page does not work in a frame, so it opens in a separate window; meanwhile the channel is watched.
 */
function SignIn({ transport }: { readonly transport: Transport }) {
  const [url, setUrl] = useState<string>();
  const [left, setLeft] = useState(false);
  const { busy, problem, run } = useAction();
  const leaveForMessenger = () => {
    window.open(url, "_blank", "noopener,noreferrer");
    setLeft(true);
  };
  const begin = () =>
    run(async () => {
      const stays = staying();
      const started = await ask("startSignIn", { body: { transport: transport.transport } });
      if (!stays()) return;
      setUrl(started.url);
      follow(started.channel_id);
    });
  useEffect(begin, []);
  return (
    <>
      {problem === undefined ? (
        <div class="grid gap-2">
          <Button look="primary" busy={busy} onPress={leaveForMessenger}>
            {words.value.signIn(signInName(transport))}
            <Icon name="external" />
          </Button>
          <p class="text-center text-sm text-dim">{words.value.signInHint}</p>
        </div>
      ) : (
        <>
          <Notice tone="bad">{problem}</Notice>
          <Button onPress={begin}>{words.value.retry}</Button>
        </>
      )}
      {left && url !== undefined && (
        <Notice tone="wait">
          {words.value.signInWaits}{" "}
          <a href={url} target="_blank" rel="noopener noreferrer">
            {words.value.noWindow}
          </a>
        </Notice>
      )}
      <ByHand label={words.value.byHand} transport={transport} open={false} />
    </>
  );
}

function ByHand(props: { readonly label: string; readonly transport: Transport; readonly open: boolean }) {
  const { label, transport, open } = props;
  return (
    <details open={open} class="rounded-lg border border-line">
      <summary class="px-4 py-3 font-semibold">{label}</summary>
      <div class="grid gap-5 border-t border-line p-4">
        {transport.connect !== "invitation" && <Guide steps={guideOf(transport.transport)} />}
        <CredentialsForm transport={transport} />
      </div>
    </details>
  );
}
