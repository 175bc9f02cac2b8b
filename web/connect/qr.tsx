import { useEffect, useState } from "preact/hooks";
import { Button, buttonClass } from "../kit/button.tsx";
import { shortName } from "../kit/messenger.tsx";
import { messengerName } from "../kit/messenger-name.ts";
import { Step } from "./frame.tsx";
import { scanGuideOf } from "./guides.ts";
import { later } from "./later.ts";
import { PhoneGuide } from "./phone-guide.tsx";
import { PairingStep, PhoneStep } from "./phone-steps.tsx";
import { Share } from "./share.tsx";
import type { Channel, Transport } from "./state.ts";
import { words } from "./texts/texts.ts";

const EarlierChoice = later(async () => (await import("./earlier.tsx")).EarlierChoice);
const PasskeyProblem = later(async () => (await import("./passkey.tsx")).PasskeyProblem);

type Way = "qr" | "pairing" | "phone";

/** Waits for the phone: scanning, or another way that the messenger supports. */
export function PhoneLink({
  channel,
  transport,
}: {
  readonly channel: Channel;
  readonly transport: Transport;
}) {
  const [way, setWay] = useState<Way>("qr");
  const back = () => setWay("qr");
  if (way === "pairing") return <PairingStep channel={channel} onBack={back} />;
  if (way === "phone") return <PhoneStep channel={channel} onBack={back} />;
  const invited = transport.connect === "invitation";
  return (
    <Step title={words.value.scan(shortName(channel.transport))} transport={channel.transport}>
      {channel.passkey_problem !== null && <PasskeyProblem problem={channel.passkey_problem} />}
      <PhoneGuide steps={invited ? [words.value.invitationHint] : scanGuideOf(channel.transport)} />
      {invited && channel.url !== null && (
        <a class={buttonClass("primary")} href={channel.url} target="_blank" rel="noopener noreferrer">
          {words.value.openIn(messengerName(transport))}
        </a>
      )}
      <Code channel={channel} />
      {transport.history && <EarlierChoice channel={channel} />}
      <div class="grid justify-items-center gap-1">
        {transport.login.includes("pairingCode") && (
          <Button look="quiet" onPress={() => setWay("pairing")}>
            {words.value.byCode}
          </Button>
        )}
        {transport.login.includes("phone") && (
          <Button look="quiet" onPress={() => setWay("phone")}>
            {words.value.byPhone}
          </Button>
        )}
        <Share channelId={channel.channel_id} />
      </div>
    </Step>
  );
}

/** White around the code in both themes, which cameras require. */
function Code({ channel }: { readonly channel: Channel }) {
  return (
    <figure class="grid justify-items-center gap-3">
      <div class="grid h-[264px] w-[264px] place-items-center overflow-hidden rounded-lg border border-line bg-white">
        {channel.qr === null ? (
          <span class="h-[212px] w-[212px] rounded-md bg-line" />
        ) : (
          <img
            src={channel.qr}
            alt={words.value.qrName}
            width="262"
            height="262"
            class="[image-rendering:pixelated]"
          />
        )}
      </div>
      <Countdown key={channel.version} seconds={channel.qr_seconds} />
    </figure>
  );
}

const RADIUS = 8;
const LENGTH = 2 * Math.PI * RADIUS;

function Countdown({ seconds }: { readonly seconds: number | null }) {
  const [left, setLeft] = useState(seconds ?? 0);
  useEffect(() => {
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1_000);
    return () => clearInterval(timer);
  }, []);
  if (seconds === null) return null;
  return (
    <figcaption class="flex items-center gap-2 text-sm text-dim">
      <svg width="20" height="20" viewBox="0 0 20 20" class="-rotate-90" aria-hidden="true">
        <circle cx="10" cy="10" r={RADIUS} fill="none" stroke="var(--line)" stroke-width="3" />
        <circle
          cx="10"
          cy="10"
          r={RADIUS}
          fill="none"
          stroke="var(--accent-text)"
          stroke-width="3"
          stroke-dasharray={LENGTH}
          stroke-dashoffset={LENGTH * (1 - left / Math.max(1, seconds))}
        />
      </svg>
      <span>{left === 0 ? words.value.renewing : words.value.renewsIn(left)}</span>
    </figcaption>
  );
}
