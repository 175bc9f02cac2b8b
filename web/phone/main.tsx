import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { offerLocales } from "../kit/i18n.ts";
import { lazy } from "../kit/lazy.tsx";
import { Notice } from "../kit/notice.tsx";
import { OfflineBar } from "../kit/offline.tsx";
import { startPage } from "../kit/start.tsx";
import { Toasts } from "../kit/toast.tsx";
import { Directory } from "./directory.tsx";
import { messengers, start, trouble } from "./state.ts";
import { Table } from "./table.tsx";
import { LOCALES, loadTexts, words } from "./texts/texts.ts";
import { besidePhone, show, view } from "./view.ts";
import { Wire } from "./wire.tsx";

function Page() {
  useEffect(() => {
    void start();
    document.title = words.value.title;
  }, []);
  if (trouble.value !== null) return <Stopped />;
  if (messengers.value === null) return <Skeleton />;
  return (
    <div class="grid md:h-[calc(100dvh-2.8125rem)] md:grid-cols-[minmax(0,1fr)_21rem] lg:h-dvh lg:grid-cols-[15rem_minmax(0,1fr)_22rem]">
      <Part name="people" class="md:border-l lg:border-r lg:border-l-0">
        <Directory />
      </Part>
      {/* Beside one of the others. */}
      <Part name="phone" class="bg-pane md:max-lg:order-first">
        <Table />
      </Part>
      <Part name="wire" class="md:border-l">
        <Wire />
      </Part>
    </div>
  );
}

function Part(props: {
  readonly name: typeof view.value;
  readonly class: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`min-w-0 border-line md:min-h-0 md:overflow-y-auto ${props.class} ${hiddenOf(props.name)}`}>
      {props.children}
    </div>
  );
}

/** One part is shown in narrow windows, two in wider ones: the phone, and by its side the people or the traffic. */
function hiddenOf(name: typeof view.value): string {
  const isChosen = view.value === name;
  if (name === "phone") return isChosen ? "" : "max-md:hidden";
  const isBeside = besidePhone.value === name;
  if (isChosen) return "";
  return isBeside ? "max-md:hidden" : "max-lg:hidden";
}

function Views() {
  const { views, peopleView, phoneView, wireView } = words.value;
  const entries = [
    ["people", peopleView],
    ["phone", phoneView],
    ["wire", wireView],
  ] as const;
  return (
    <nav
      aria-label={views}
      class="sticky top-0 z-10 grid grid-cols-3 border-b border-line bg-bg md:grid-cols-2 lg:hidden"
    >
      {entries.map(([name, label]) => (
        <button
          key={name}
          type="button"
          aria-current={view.value === name}
          class={`min-h-11 border-b-2 font-semibold ${tabOf(name)}`}
          onClick={() => show(name)}
        >
          {label}
        </button>
      ))}
    </nav>
  );
}

const CHOSEN = "border-accent-text text-accent-text";
const OTHER = "border-bg text-dim";

function tabOf(name: typeof view.value): string {
  const wide =
    name === besidePhone.value ? "md:border-accent-text md:text-accent-text" : "md:border-bg md:text-dim";
  return name === "phone"
    ? `md:hidden ${view.value === name ? CHOSEN : OTHER}`
    : `${view.value === name ? CHOSEN : OTHER} ${wide}`;
}

/** Has the size of the content that replaces it. */
function Skeleton() {
  return (
    <div
      class="appears-late grid gap-4 p-4 md:grid-cols-[1fr_21rem] lg:grid-cols-[15rem_1fr_22rem]"
      aria-busy="true"
    >
      {[1, 2, 3].map((column) => (
        <div key={column} class="h-[70vh] rounded-lg bg-pane max-lg:last:hidden" />
      ))}
    </div>
  );
}

function Stopped() {
  return (
    <div class="mx-auto grid max-w-[30rem] gap-4 p-6">
      <Notice tone="bad">{words.value.loadFailed}</Notice>
      <Button look="primary" onPress={() => void start()}>
        {words.value.retry}
      </Button>
    </div>
  );
}

function Readable() {
  return (
    <>
      <Views />
      <main>
        <h1 class="sr-only">{words.value.title}</h1>
        <Page />
      </main>
    </>
  );
}

/** With its texts, and again while they cannot be loaded. */
const WithTexts = lazy(async () => {
  await loadTexts();
  return Readable;
}, Skeleton);

offerLocales(LOCALES);
startPage(
  <>
    <OfflineBar />
    <WithTexts />
    <Toasts />
  </>,
);
