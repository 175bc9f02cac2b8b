import { useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { Notice } from "../kit/notice.tsx";
import { crowded, OfflineBar, online } from "../kit/offline.tsx";
import { asksNotifications, showUnread } from "./alerts/alerts.ts";
import { onPageKey } from "./keys.ts";
import { later } from "./later.ts";
import { known } from "./list/chats.ts";
import { asksNewChat, ListPane, ListSkeleton } from "./list/list-pane.tsx";
import { place, showsDetails, showsHelp } from "./navigation.ts";
import { showsPane } from "./preference.ts";
import { session, trouble } from "./session.ts";
import { askedFor, followEnd, live, renew, start } from "./start.ts";
import { areTextsLoaded, words } from "./texts/texts.ts";
import { usesActions } from "./thread/actions.ts";
import { ThreadPane } from "./thread/thread-part.ts";

const AskNotifications = later(async () => (await import("./alerts/ask.tsx")).AskNotifications);
const Details = later(async () => (await import("./details.tsx")).Details);
const Help = later(async () => (await import("./help.tsx")).Help);
const ActionsMenu = later(async () => (await import("./thread/actions-menu.tsx")).ActionsMenu);
const NewChat = later(async () => (await import("./list/new-chat.tsx")).NewChat);

/** The chat page, once per document. */
export function Chats() {
  useEffect(() => {
    void start();
    document.addEventListener("keydown", onPageKey);
    const stop = renew();
    return () => {
      stop();
      document.removeEventListener("keydown", onPageKey);
    };
  }, []);
  useSignalEffect(followEnd);
  useSignalEffect(() => {
    if (live.value === null) return;
    const state = live.value.state.value;
    online.value = state !== "offline";
    crowded.value = state === "crowded";
  });
  if (!areTextsLoaded() || (session.value === null && trouble.value === null)) return <Opening />;
  return session.value === null ? <Stopped /> : <Shell />;
}

/** Three panes, two, or one, depending on the width. */
function Shell() {
  useSignalEffect(showUnread);
  useEffect(closeDetailsWhenWide, []);
  const now = place.value;
  const hasPane = showsPane.value;
  const chat = now?.kind === "chat" ? known.value.get(now.id) : undefined;
  return (
    <div class="flex h-dvh flex-col print:h-auto">
      <OfflineBar />
      {trouble.value === "over" && <Over />}
      {asksNotifications.value && <AskNotifications />}
      <main
        class={`grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] min-[600px]:grid-cols-[280px_minmax(0,1fr)] print:block! ${hasPane ? "min-[900px]:grid-cols-[320px_minmax(0,1fr)_280px]" : "min-[900px]:grid-cols-[320px_minmax(0,1fr)]"}`}
      >
        <h1 class="sr-only">{words.value.chats}</h1>
        <div
          class={`min-h-0 flex-col border-r border-line bg-pane min-[600px]:flex print:hidden! ${now === null ? "flex" : "hidden"}`}
        >
          <ListPane />
          <div class="flex justify-end border-t border-line p-1">
            <button
              type="button"
              class="grid h-10 w-10 place-items-center rounded-md text-dim hover:text-ink"
              aria-label={words.value.help}
              aria-keyshortcuts="?"
              title={words.value.help}
              onClick={() => {
                showsHelp.value = true;
              }}
            >
              <Icon name="help" />
            </button>
          </div>
        </div>
        <div class={`min-h-0 min-w-0 min-[600px]:block ${now === null ? "hidden" : ""}`}>
          {now === null ? <Nothing /> : <ThreadPane place={now} />}
        </div>
        {hasPane && (
          // Without room it is hidden, but beside the window while a dialog of it is open, which would be hidden with it.
          <section
            aria-label={words.value.details}
            class="fixed right-full hidden min-h-0 overflow-y-auto border-l border-line bg-pane p-4 has-[dialog[open]]:block min-[900px]:static min-[900px]:block print:hidden!"
          >
            {chat !== undefined && <Details key={chat.id} chat={chat} />}
          </section>
        )}
      </main>
      {chat !== undefined && showsDetails.value && (
        <Dialog
          title={chat.name}
          close={words.value.close}
          open
          onClose={() => {
            showsDetails.value = false;
          }}
        >
          <Details key={chat.id} chat={chat} />
        </Dialog>
      )}
      {(asksNewChat.value || askedFor.value !== null) && (
        <NewChat
          open
          asked={askedFor.value}
          onClose={() => {
            asksNewChat.value = false;
            askedFor.value = null;
          }}
        />
      )}
      {usesActions.value && <ActionsMenu />}
      {showsHelp.value && <Help />}
    </div>
  );
}

/** With three panes the details are beside the conversation. */
function closeDetailsWhenWide(): () => void {
  const wide = matchMedia("(min-width: 900px)");
  wide.onchange = () => {
    if (wide.matches) showsDetails.value = false;
  };
  return () => {
    wide.onchange = null;
  };
}

function Nothing() {
  return (
    <div class="grid h-full content-center p-6 text-center">
      <h2 class="text-lg font-semibold">{words.value.choose}</h2>
      <p class="text-sm text-dim">{words.value.chooseHint}</p>
    </div>
  );
}

/** The conversation stays readable; the text stays a draft. */
function Over() {
  return (
    <div class="p-2">
      <Notice tone="neutral">
        {words.value.sessionOver}. {words.value.sessionOverHint}
      </Notice>
    </div>
  );
}

/** The texts are not loaded yet: the heading is the document's own title. */
function Opening() {
  return (
    <main
      class="grid h-dvh min-[600px]:grid-cols-[280px_1fr] min-[900px]:grid-cols-[320px_1fr]"
      aria-busy="true"
    >
      <h1 class="sr-only">{document.title}</h1>
      <div class="border-r border-line bg-pane pt-28">
        <ListSkeleton />
      </div>
    </main>
  );
}

function Stopped() {
  const isOffline = trouble.value === "offline";
  const { failedStart, used, sessionOverHint, retry } = words.value;
  return (
    <main class="mx-auto grid max-w-[480px] gap-4 p-4">
      <h1 class="text-xl font-semibold">{isOffline ? failedStart : used}</h1>
      {isOffline ? (
        <Button look="primary" onPress={() => void start()}>
          {retry}
        </Button>
      ) : (
        <Notice tone="neutral">{sessionOverHint}</Notice>
      )}
    </main>
  );
}
