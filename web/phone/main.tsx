import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { Notice } from "../kit/notice.tsx";
import { OfflineBar } from "../kit/offline.tsx";
import { startPage } from "../kit/start.tsx";
import { Toasts } from "../kit/toast.tsx";
import { Directory } from "./directory.tsx";
import { messengers, start, trouble } from "./state.ts";
import { Table } from "./table.tsx";
import { view } from "./view.ts";
import { Wire } from "./wire.tsx";
import { words } from "./words.ts";

function Page() {
  useEffect(() => {
    void start();
    document.title = words.value.title;
  }, []);
  if (trouble.value !== null) return <Stopped />;
  if (messengers.value === null) return <Skeleton />;
  return (
    <div class="grid gap-4 lg:h-dvh lg:grid-cols-[15rem_minmax(0,1fr)_22rem] lg:gap-0">
      <Part name="people" class="lg:border-r">
        <Directory />
      </Part>
      <Part name="phone" class="bg-pane">
        <Table />
      </Part>
      <Part name="wire" class="lg:border-l">
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
  const shown = view.value === props.name ? "" : "max-lg:hidden";
  return (
    <div class={`min-w-0 border-line lg:min-h-0 lg:overflow-y-auto ${props.class} ${shown}`}>
      {props.children}
    </div>
  );
}

function Views() {
  const { views, peopleView, phoneView, wireView } = words.value;
  const entries = [
    ["people", peopleView],
    ["phone", phoneView],
    ["wire", wireView],
  ] as const;
  return (
    <nav aria-label={views} class="sticky top-0 z-10 grid grid-cols-3 border-b border-line bg-bg lg:hidden">
      {entries.map(([name, label]) => (
        <button
          key={name}
          type="button"
          aria-current={view.value === name}
          class={`min-h-11 border-b-2 font-semibold ${view.value === name ? "border-accent-text text-accent-text" : "border-bg text-dim"}`}
          onClick={() => {
            view.value = name;
          }}
        >
          {label}
        </button>
      ))}
    </nav>
  );
}

/** Has the size of the content that replaces it. */
function Skeleton() {
  return (
    <div class="appears-late grid gap-4 p-4 lg:grid-cols-[15rem_1fr_22rem]" aria-busy="true">
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

startPage(
  <>
    <OfflineBar />
    <Views />
    <main>
      <h1 class="sr-only">{words.value.title}</h1>
      <Page />
    </main>
    <Toasts />
  </>,
);
