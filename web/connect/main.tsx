import { useEffect } from "preact/hooks";
import { Button, buttonClass } from "../kit/button.tsx";
import { isFramed } from "../kit/embed.ts";
import { offerLocales } from "../kit/i18n.ts";
import { Icon } from "../kit/icon.tsx";
import { lazy } from "../kit/lazy.tsx";
import { Notice } from "../kit/notice.tsx";
import { OfflineBar } from "../kit/offline.tsx";
import { startPage } from "../kit/start.tsx";
import { Toasts } from "../kit/toast.tsx";
import { Begin } from "./begin.tsx";
import { Choice } from "./choice.tsx";
import { Step } from "./frame.tsx";
import {
  channel,
  chosen,
  linkOrigin,
  opening,
  renewByParent,
  renewing,
  start,
  startOver,
  transports,
  trouble,
} from "./state.ts";
import { Status } from "./status.tsx";
import { Steps } from "./steps.tsx";
import { LOCALES, loadTexts, words } from "./texts/texts.ts";

/** Only in the window that goes to a messenger, and comes back from it. */
const Depart = lazy(async () => (await import("./depart.tsx")).Depart);
const Return = lazy(async () => (await import("./return.tsx")).Return);

function Connect() {
  useEffect(() => {
    void start();
    return renewByParent();
  }, []);
  if (trouble.value !== null) return <Stopped />;
  if (transports.value === null) return <Skeleton />;
  const transport = chosen.value;
  const now = channel.value;
  if (transport === null) return <Choice transports={transports.value} />;
  if (now !== null && !renewing.value) return <Status channel={now} transport={transport} />;
  return (
    <>
      {now === null && opening.value?.transport === null && (
        <div>
          <Button look="quiet" onPress={startOver}>
            <Icon name="back" />
            {words.value.back}
          </Button>
        </div>
      )}
      <Begin key={transport.transport} transport={transport} />
    </>
  );
}

/** Whose company asks, which a person who was sent a link has to know. In a frame, the page around says it. */
function Asker() {
  const name = opening.value?.account ?? "";
  if (isFramed || name === "" || trouble.value !== null || channel.value?.status === "active") return null;
  return <p class="text-sm break-words text-dim">{words.value.asks(name)}</p>;
}

/** Has the size of the choice that replaces it. Without words: it is shown before the texts are loaded, too. */
function Skeleton() {
  return (
    <div class="appears-late grid gap-5" aria-busy="true">
      <div class="h-8 w-2/3 rounded-md bg-pane" />
      <div class="grid gap-2">
        {[1, 2, 3, 4].map((row) => (
          <div key={row} class="h-16 rounded-lg bg-pane" />
        ))}
      </div>
    </div>
  );
}

function Stopped() {
  const isOffline = trouble.value === "offline";
  const { failed, used, sessionOver, usedHint, usedOf, retry } = words.value;
  const { account = "", refresh_url: refreshUrl = null } = linkOrigin.value ?? {};
  return (
    <Step title={isOffline ? failed : trouble.value === "over" ? sessionOver : used}>
      {isOffline ? (
        <Button look="primary" onPress={() => void start()}>
          {retry}
        </Button>
      ) : (
        <>
          <Notice tone="wait">{account === "" ? usedHint : usedOf(account)}</Notice>
          {refreshUrl !== null && <NewLink address={refreshUrl} />}
        </>
      )}
    </Step>
  );
}

/** The company's own address, which the person should recognise. */
function NewLink({ address }: { readonly address: string }) {
  return (
    <div class="grid gap-2">
      <a class={buttonClass("primary")} href={address} rel="noreferrer">
        {words.value.newLink}
      </a>
      <p class="text-center text-sm break-all text-dim">{words.value.opens(new URL(address).host)}</p>
    </div>
  );
}

const query = new URLSearchParams(location.search);
const [state, back, departure] = [query.get("state"), query.get("back"), query.get("start")];
const transportOfWindow = query.get("transport") ?? "";

function Page() {
  if (state !== null && back !== null)
    return <Return transport={transportOfWindow} state={state} query={back} />;
  if (departure !== null) return <Depart transport={transportOfWindow} start={departure} />;
  return (
    <>
      <Asker />
      <Steps />
      <Connect />
    </>
  );
}

/** With its texts, and again while they cannot be loaded. */
const Readable = lazy(async () => {
  await loadTexts();
  return Page;
}, Skeleton);

offerLocales(LOCALES);
startPage(
  <>
    <OfflineBar />
    <main class={`mx-auto grid max-w-[480px] gap-3 p-4 ${isFramed ? "" : "sm:py-12"}`}>
      <Readable />
    </main>
    <Toasts />
  </>,
);
