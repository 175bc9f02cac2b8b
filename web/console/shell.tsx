import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { shellWord } from "./format.ts";
import { Code, Copy } from "./parts.tsx";
import { account, accounts, asked, chooseAccount, hrefTo, mayAct, route, session, signOut } from "./state.ts";
import { commonWords as words } from "./texts/texts.ts";

const SECTIONS = [
  "overview",
  "charts",
  "channels",
  "messages",
  "webhooks",
  "accounts",
  "templates",
  "exports",
  "system",
] as const;
export type Section = (typeof SECTIONS)[number];

/** The navigation on the left, on narrow screens at the top, and the view beside it. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="lg:grid lg:min-h-dvh lg:grid-cols-[13rem_minmax(0,1fr)]">
      <header class="border-line bg-pane max-lg:border-b lg:border-r">
        <div class="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-3 px-4 py-3 sm:max-lg:grid-cols-2 lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:items-stretch lg:px-3">
          <p class="font-semibold whitespace-nowrap lg:px-2 lg:py-2">Trunkline</p>
          <AccountChoice />
          <Navigation />
          <Me />
        </div>
      </header>
      <main class="min-w-0 p-4 lg:p-6">
        <div class="mx-auto max-w-[1100px]">{children}</div>
      </main>
    </div>
  );
}

/** A column beside the view; on narrow screens a menu that names the current section. */
function Navigation() {
  const current = currentSection();
  const links = SECTIONS.map((section) => <RailLink key={section} section={section} />);
  return (
    <>
      <nav aria-label={words.value.sections} class="flex-col gap-1 pt-2 max-lg:hidden lg:flex">
        {links}
      </nav>
      <details
        key={route.value.parts.join("/")}
        class={`order-last self-start lg:hidden max-sm:col-span-2 ${hasChoice() ? "" : "col-span-2"}`}
      >
        <summary class="flex min-h-10 items-center justify-between rounded-md border border-edge bg-bg px-3 font-semibold">
          {current === undefined ? words.value.me : words.value[current]}
          <span class="rotate-90" aria-hidden="true">
            ›
          </span>
        </summary>
        <nav aria-label={words.value.sections} class="grid grid-cols-2 gap-1 pt-2">
          {links}
        </nav>
      </details>
    </>
  );
}

/** Undefined: the person's own access. */
function currentSection(): Section | undefined {
  const wanted = route.value.parts[0] || "overview";
  return SECTIONS.find((each) => each === wanted);
}

function RailLink({ section }: { readonly section: Section }) {
  const isCurrent = currentSection() === section;
  return (
    <a
      href={hrefTo([section])}
      aria-current={isCurrent ? "page" : undefined}
      class={`flex min-h-9 items-center rounded-md px-3 whitespace-nowrap no-underline ${
        isCurrent ? "bg-bg font-semibold text-accent-text" : "text-ink hover:bg-bg"
      }`}
    >
      {words.value[section]}
    </a>
  );
}

/** Whether the person sees more than one account. */
function hasChoice(): boolean {
  return accounts.value.length > 1;
}

function AccountChoice() {
  const all = accounts.value;
  const id = useId();
  if (!hasChoice()) return <p class="truncate px-2 text-sm text-dim max-lg:hidden">{all[0]?.name ?? ""}</p>;
  return (
    <div class="grid min-w-0 gap-1 self-start text-sm max-lg:order-3 max-sm:col-span-2 lg:px-2">
      <label for={id} class="text-dim max-lg:sr-only">
        {words.value.account}
      </label>
      <select
        id={id}
        class="min-h-10 w-full min-w-0 rounded-md border border-edge bg-bg px-2"
        value={account.value ?? ""}
        onChange={(event) => chooseAccount(event.currentTarget.value || null)}
      >
        <option value="">{words.value.allAccounts}</option>
        {all.map(({ id: of, name }) => (
          <option key={of} value={String(of)}>
            {name} · {of}
          </option>
        ))}
      </select>
    </div>
  );
}

function Me() {
  return (
    <div class="flex items-center justify-end gap-2 lg:mt-auto lg:px-2 lg:flex-col lg:items-stretch">
      <CurlButton />
      <a href={hrefTo(["me"])} class="max-w-24 truncate leading-6 lg:max-w-full">
        {session.value?.operator.login}
      </a>
      {!mayAct.value && <p class="text-xs text-dim max-lg:hidden">{words.value.viewerHint}</p>}
      <Button look="quiet" class="lg:justify-start" onPress={() => void signOut()}>
        {words.value.signOut}
      </Button>
    </div>
  );
}

/** The requests of the view, as commands. */
function CurlButton() {
  const [open, setOpen] = useState(false);
  const commands = [...asked.value.values()].map(commandOf);
  const byToken = [...asked.value.values()].flatMap(interfaceCommand);
  const signIn = `curl -c cookies.txt -H 'Content-Type: application/json' -d '{"login":${JSON.stringify(session.value?.operator.login ?? "")},"password":"…"}' ${shellWord(absolute("./api/console/sign-in"))}`;
  const text = [signIn, ...commands].join("\n");
  return (
    <>
      <Button class="text-sm" onPress={() => setOpen(true)}>
        <Icon name="copy" />
        <span class="max-sm:sr-only">{words.value.asCurl}</span>
      </Button>
      <Dialog title={words.value.asCurl} open={open} onClose={() => setOpen(false)}>
        <div class="grid gap-3">
          <p class="text-sm">{words.value.curlHint}</p>
          <Code label={words.value.asCurl} text={text} />
          {byToken.length > 0 && (
            <>
              <p class="text-sm">{words.value.curlToken}</p>
              <Code label="v2, v3" text={byToken.join("\n")} />
            </>
          )}
          <div class="flex justify-end gap-2">
            <Copy text={text} />
            <Button onPress={() => setOpen(false)}>{words.value.close}</Button>
          </div>
        </div>
      </Dialog>
    </>
  );
}

function absolute(address: string): string {
  return new URL(address, location.href.split("#")[0]).href;
}

function commandOf(address: string): string {
  return `curl -b cookies.txt ${shellWord(absolute(address))}`;
}

/** Paths below an account are routes of the interface. */
function interfaceCommand(address: string): string[] {
  const [, path] = /\/accounts\/\d+\/(v[23]\/.*)$/.exec(address) ?? [];
  if (path === undefined) return [];
  return [`curl -H 'Authorization: Bearer …' ${shellWord(absolute(`../${path}`))}`];
}
