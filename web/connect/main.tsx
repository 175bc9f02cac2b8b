import { useEffect } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { isFramed } from "../kit/embed.ts";
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
  opening,
  renewByParent,
  renewing,
  start,
  startOver,
  transports,
  trouble,
} from "./state.ts";
import { Status } from "./status.tsx";
import { words } from "./words.ts";

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

/** Has the size of the choice that replaces it. */
function Skeleton() {
  return (
    <div class="appears-late grid gap-5" aria-busy="true">
      <h1 class="sr-only">{words.value.choose}</h1>
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
  const { failed, used, sessionOver, usedHint, retry } = words.value;
  return (
    <Step title={isOffline ? failed : trouble.value === "over" ? sessionOver : used}>
      {isOffline ? (
        <Button look="primary" onPress={() => void start()}>
          {retry}
        </Button>
      ) : (
        <Notice tone="wait">{usedHint}</Notice>
      )}
    </Step>
  );
}

const query = new URLSearchParams(location.search);
const [state, back, departure] = [query.get("state"), query.get("back"), query.get("start")];
const transportOfWindow = query.get("transport") ?? "";
startPage(
  <>
    <OfflineBar />
    <main class={`mx-auto grid max-w-[480px] gap-3 p-4 ${isFramed ? "" : "sm:py-12"}`}>
      {state !== null && back !== null ? (
        <Return transport={transportOfWindow} state={state} query={back} />
      ) : departure !== null ? (
        <Depart transport={transportOfWindow} start={departure} />
      ) : (
        <>
          <Asker />
          <Connect />
        </>
      )}
    </main>
    <Toasts />
  </>,
);
