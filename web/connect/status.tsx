import { Button, buttonClass } from "../kit/button.tsx";
import { isFramed } from "../kit/embed.ts";
import { locale } from "../kit/i18n.ts";
import { Icon } from "../kit/icon.tsx";
import { messengerName } from "../kit/messenger-name.ts";
import { Notice } from "../kit/notice.tsx";
import { connectWith } from "./form.tsx";
import { Progress, Step } from "./frame.tsx";
import { later } from "./later.ts";
import { SecretStep } from "./phone-steps.tsx";
import { PhoneLink } from "./qr.tsx";
import {
  type Channel,
  isConnectedHere,
  opening,
  renewed,
  renewing,
  startOver,
  type Transport,
  watch,
} from "./state.ts";
import { reasons, words } from "./texts/texts.ts";
import { useAction } from "./use-action.ts";

const Restrictions = later(async () => (await import("../kit/restrictions.tsx")).Restrictions);
const NextSteps = later(async () => (await import("./next-steps.tsx")).NextSteps);
const ChannelName = later(async () => (await import("./next-steps.tsx")).ChannelName);
const PasskeyStep = later(async () => (await import("./passkey.tsx")).PasskeyStep);
const CompareStep = later(async () => (await import("./passkey.tsx")).CompareStep);

interface StatusProps {
  readonly channel: Channel;
  readonly transport: Transport;
}

/** What a channel waits for, or why it does not work. */
export function Status({ channel, transport }: StatusProps) {
  if (channel.status === "active") return <Done channel={channel} transport={transport} />;
  if (channel.status === "disabled") return <Trouble channel={channel} transport={transport} />;
  const title = words.value.connectTo(messengerName(transport));
  switch (channel.reason) {
    case "qr":
      return <PhoneLink channel={channel} transport={transport} />;
    case "wait_for_passkey":
      return <PasskeyStep channel={channel} />;
    case "wait_for_code":
      if (channel.passkey?.compare_code != null)
        return <CompareStep channel={channel} code={channel.passkey.compare_code} />;
      return <SecretStep channel={channel} />;
    case "wait_for_password":
      return <SecretStep channel={channel} />;
    case "sync":
      return (
        <Step title={title} transport={channel.transport}>
          <Progress text={words.value.syncing} hint={words.value.syncingHint} />
        </Step>
      );
    case "proxy":
      return (
        <Step title={title} transport={channel.transport}>
          <Progress text={words.value.noProxy} hint={words.value.noProxyHint} />
        </Step>
      );
    default:
      return (
        <Step title={title} transport={channel.transport}>
          <Progress
            text={channel.waits ? words.value.checkWaits : words.value.starting}
            hint={channel.waits ? words.value.checkWaitsHint : words.value.startingHint}
          />
        </Step>
      );
  }
}

/** Name and number of a channel, as far as known. */
function Identity({ channel }: { readonly channel: Channel }) {
  const number = /^\d{5,15}$/.test(channel.phone) ? `+${channel.phone}` : "";
  const details = [number, channel.username === "" ? "" : `@${channel.username}`].filter(
    (text) => text !== "",
  );
  return (
    <p class="grid gap-1 text-center">
      <span class="text-lg font-semibold">{channel.name}</span>
      {details.length > 0 && <span class="text-dim">{details.join(" · ")}</span>}
    </p>
  );
}

/** A channel that worked before this page was opened need not be connected. */
function Done({ channel, transport }: StatusProps) {
  const isOld = !isConnectedHere(channel);
  const returnUrl = opening.value?.return_url ?? null;
  return (
    <Step title={isOld ? words.value.works : words.value.done} transport={channel.transport}>
      <div class="grid justify-items-center gap-4 rounded-lg border border-line p-6">
        <span class="grid h-14 w-14 place-items-center rounded-full bg-ok-bg text-ok">
          <Icon name="check" size={28} />
        </span>
        <Identity channel={channel} />
      </div>
      <Earlier channel={channel} />
      {channel.restrictions.length > 0 && <Restrictions of={channel.restrictions} />}
      {channel.phone_unavailable && <Notice tone="wait">{words.value.phoneAway}</Notice>}
      <p class="text-center text-dim">
        {isOld ? words.value.worksHint : words.value.doneHint}
        {!isOld && !isFramed && returnUrl === null && ` ${words.value.closeWindow}`}
      </p>
      {!isOld && <NextSteps channel={channel} />}
      <ChannelName key={channel.channel_id} channel={channel} />
      {!isOld && !isFramed && returnUrl !== null && (
        <a class={buttonClass("primary")} href={returnUrl} rel="noreferrer">
          {words.value.backTo(new URL(returnUrl).host)}
        </a>
      )}
      {isOld && <Again channel={channel} transport={transport} label={words.value.again} />}
      {!isOld && opening.value?.channel_id === null && opening.value.transport === null && (
        <button type="button" class={buttonClass("plain")} onClick={startOver}>
          {words.value.another}
        </button>
      )}
    </Step>
  );
}

/** How far the import of earlier messages has got. */
function Earlier({ channel: { history } }: { readonly channel: Channel }) {
  if (history === null) return null;
  const { status, progress, messages } = history;
  const count = messages.toLocaleString(locale.value);
  const text =
    status === "done"
      ? words.value.earlierDone(count)
      : progress === null
        ? words.value.earlierCount(count)
        : words.value.earlier(progress, count);
  return (
    <p class="grid gap-1 text-center text-dim" role="status">
      {text}
      {status !== "done" && progress !== null && <progress class="w-full" max={100} value={progress} />}
    </p>
  );
}

function Trouble({ channel, transport }: StatusProps) {
  const reason = channel.reason ?? "disabled";
  const known: Readonly<Record<string, string>> = reasons.value;
  const scans = transport.connect === "qr" && (reason === "qridle" || reason === "foreignphone");
  const label = scans
    ? reasons.value.newCode
    : reason === "unauthorized" || reason === "disabled"
      ? reasons.value.newKey
      : reasons.value.tryAgain;
  return (
    <Step title={words.value.connectTo(messengerName(transport))} transport={channel.transport}>
      {channel.name !== "" && <Identity channel={channel} />}
      <Notice tone={reason === "not_enough_money" ? "wait" : "bad"}>{known[reason] ?? reason}</Notice>
      {reason === "not_enough_money" ? (
        <CheckAgain channelId={channel.channel_id} />
      ) : (
        <Again channel={channel} transport={transport} label={label} />
      )}
    </Step>
  );
}

/** Restarts the channel; if credentials are required, shows the form. */
function Again({ channel, transport, label }: StatusProps & { readonly label: string }) {
  const { busy, problem, run } = useAction();
  const press = () => {
    renewed.add(channel.channel_id);
    if (transport.connect === "qr") run(() => connectWith(channel.transport, {}));
    else renewing.value = true;
  };
  return (
    <>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Button look="primary" busy={busy} onPress={press}>
        {label}
      </Button>
    </>
  );
}

function CheckAgain({ channelId }: { readonly channelId: string }) {
  const { busy, problem, run } = useAction();
  return (
    <>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Button look="primary" busy={busy} onPress={() => run(() => watch(channelId))}>
        {reasons.value.check}
      </Button>
    </>
  );
}
