import { useEffect, useState } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { lazy } from "../kit/lazy.tsx";
import { Notice } from "../kit/notice.tsx";
import { OfflineBar } from "../kit/offline.tsx";
import { startPage } from "../kit/start.tsx";
import { Toasts } from "../kit/toast.tsx";
import { AccountsView, AccountView } from "./account/accounts.tsx";
import { ExportsView } from "./account/exports.tsx";
import { TemplatesView } from "./account/templates.tsx";
import { ChannelView } from "./channel/channel.tsx";
import { ChannelsView } from "./channel/channels.tsx";
import { ChartsView } from "./chart/charts.tsx";
import { MessageView } from "./message.tsx";
import { MessagesView } from "./messages.tsx";
import { MeView } from "./operator/me.tsx";
import { FollowLink, SignIn } from "./operator/sign-in.tsx";
import { OverviewView } from "./overview.tsx";
import { Shell } from "./shell.tsx";
import { asked, begin, finishProviderSignIn, messageOf, route, session } from "./state.ts";
import { SystemView } from "./system.tsx";
import { loadTexts, preferLanguage, commonWords as words } from "./texts/texts.ts";
import { DeliveryView } from "./webhook/delivery.tsx";
import { DeliveriesView, WebhooksView } from "./webhook/webhooks.tsx";

function Console() {
  const [problem, setProblem] = useState<string>();
  const [refused, setRefused] = useState<string>();
  const start = () => {
    setProblem(undefined);
    finishProviderSignIn()
      .then((reason) => {
        setRefused(reason);
        return begin();
      })
      .catch((error: unknown) => setProblem(messageOf(error)));
  };
  useEffect(start, []);
  const [section, link = ""] = route.value.parts;
  if (section === "link") return <FollowLink link={link} />;
  if (problem !== undefined)
    return (
      <main class="mx-auto grid max-w-[400px] gap-4 p-4 sm:py-16">
        <h1 class="text-xl font-semibold">{words.value.console}</h1>
        <Notice tone="bad">{problem}</Notice>
        <Button look="primary" onPress={start}>
          {words.value.retry}
        </Button>
      </main>
    );
  if (session.value === undefined) return <main aria-busy="true" />;
  if (session.value === null) return <SignIn refused={refused} />;
  return (
    <Shell>
      <Current key={route.value.parts.join("/")} />
    </Shell>
  );
}

function Current() {
  const [section, first = "", second = ""] = route.value.parts;
  useEffect(
    () => () => {
      asked.value = new Map();
    },
    [],
  );
  switch (section) {
    case "charts":
      return <ChartsView />;
    case "channels":
      return second === "" ? <ChannelsView /> : <ChannelView accountId={first} id={second} />;
    case "messages":
      return second === "" ? <MessagesView /> : <MessageView accountId={first} id={second} />;
    case "webhooks":
      if (first === "") return <WebhooksView />;
      return second === "" ? (
        <DeliveriesView accountId={first} />
      ) : (
        <DeliveryView accountId={first} id={second} />
      );
    case "accounts":
      return first === "" ? <AccountsView /> : <AccountView accountId={first} />;
    case "templates":
      return <TemplatesView />;
    case "exports":
      return <ExportsView />;
    case "system":
      return <SystemView part={first} />;
    case "me":
      return <MeView />;
    default:
      return <OverviewView />;
  }
}

/** With its texts, and again while they cannot be loaded. */
const Readable = lazy(
  async () => {
    await loadTexts();
    return Console;
  },
  () => <main aria-busy="true" />,
);

preferLanguage();
startPage(
  <>
    <OfflineBar />
    <Readable />
    <Toasts />
  </>,
);
