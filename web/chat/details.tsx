import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { focusDrawn } from "../kit/focus-drawn.ts";
import { Notice } from "../kit/notice.tsx";
import { beginning } from "../kit/pieces.ts";
import { later } from "./later.ts";
import { changedClient, settleChat } from "./list/chats.ts";
import type { Chat, Client } from "./model.ts";
import { showsDetails } from "./navigation.ts";
import { announceDeal, announceDealAsked, opensDeals } from "./parent-deals.ts";
import { problemOf } from "./problem.ts";
import { ask, session } from "./session.ts";
import { detailWords } from "./texts/texts.ts";
import { finding } from "./thread/finding.ts";
import { channelName, DETAILS_BUTTON } from "./thread/thread-head.tsx";

const ClientCard = later(async () => (await import("./card/card.tsx")).ClientCard);
const Gallery = later(async () => (await import("./writing/gallery.tsx")).Gallery);
const ExportDialog = later(async () => (await import("./writing/export-dialog.tsx")).ExportDialog);

/** The customer in the CRM, the deals, and the conversation. */
export function Details({ chat }: { readonly chat: Chat }) {
  const [tool, setTool] = useState<"gallery" | "export" | null>(null);
  // Before the next key: the clean-up of other effects waits until the browser has painted.
  useLayoutEffect(() => (tool === null ? undefined : keepFocus), [tool]);
  const close = () => setTool(null);
  return (
    <div class="grid content-start gap-5 text-sm">
      {session.value?.crm === true && <ClientCards chat={chat} />}
      {!chat.is_group && (
        <Section title={detailWords.value.card}>
          <ClientCard key={chat.id} chatId={chat.id} />
        </Section>
      )}
      <Facts chat={chat} />
      <Section title={detailWords.value.messages}>
        <Button
          onPress={() => {
            showsDetails.value = false;
            finding.value = chat.id;
          }}
        >
          {detailWords.value.searchHere}
        </Button>
        <Button onPress={() => setTool("gallery")}>{detailWords.value.gallery}</Button>
        <Button onPress={() => setTool("export")}>{detailWords.value.export}</Button>
        {tool === "gallery" && <Gallery chat={chat} onClose={close} />}
        {tool === "export" && <ExportDialog chat={chat} onClose={close} />}
      </Section>
    </div>
  );
}

/** The button that opened a dialog may be hidden or gone, if the window was made narrower or wider since. */
function keepFocus(): void {
  focusDrawn(() =>
    document.activeElement === document.body ? document.getElementById(DETAILS_BUTTON) : null,
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="grid gap-2">
      <h2 class="text-xs font-semibold text-dim">{title}</h2>
      {children}
    </section>
  );
}

const CARD = "grid gap-0.5 rounded-lg border border-line bg-bg px-3 py-2.5";
/** The stream reports a response. The page also polls, because a node that was killed cannot report it. */
const LOOK_MS = 60_000;

/** The present CRM data of the chat's client, or why they are unknown; `reload` loads them again. */
function useClient(chatId: string) {
  const [client, setClient] = useState<Client | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const asking = useRef(new AbortController());
  const reload = () => {
    asking.current.abort();
    asking.current = new AbortController();
    const { signal } = asking.current;
    return ask("getClient", { path: { id: chatId } }, signal).then(
      (next) => {
        setClient(next);
        setProblem(null);
      },
      (error: unknown) => {
        if (!signal.aborted) setProblem(problemOf(error));
      },
    );
  };
  useEffect(() => {
    void reload();
    return () => asking.current.abort();
  }, [chatId]);
  const changed = changedClient.value;
  const before = useRef(changed);
  useEffect(() => {
    if (changed !== before.current && (changed?.of ?? chatId) === chatId) void reload();
    before.current = changed;
  }, [changed]);
  useEffect(() => {
    if (client?.is_asked !== true) return;
    const timer = setInterval(() => void reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, [client?.is_asked]);
  return { client, problem, setProblem, reload };
}

function ClientCards({ chat }: { readonly chat: Chat }) {
  const { client, problem, setProblem, reload } = useClient(chat.id);
  const [isBusy, setBusy] = useState(false);
  const create = () => {
    setBusy(true);
    ask("createDeal", { path: { id: chat.id }, body: {} })
      .then(
        () => {
          announceDealAsked(chat);
          return reload();
        },
        (error: unknown) => setProblem(problemOf(error)),
      )
      .finally(() => setBusy(false));
  };
  const texts = detailWords.value;
  if (client === null && problem === null)
    return <div class="appears-late h-40 rounded-lg bg-line/50" aria-busy="true" />;
  return (
    <>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {client !== null && (
        <>
          <Section title={texts.contact}>
            <ContactOf client={client} />
          </Section>
          <Section title={texts.deals}>
            {client.deals.length === 0 && !client.is_asked && <p class="text-dim">{texts.noDeals}</p>}
            {client.deals.map((deal) => (
              <DealCard key={deal.id} deal={deal} chat={chat} />
            ))}
            {client.is_asked && (
              <p role="status" class="text-wait">
                {texts.asked}
              </p>
            )}
            {client.can_create_deal && !client.is_asked && (
              <Button busy={isBusy} onPress={create}>
                {texts.createDeal}
              </Button>
            )}
          </Section>
        </>
      )}
    </>
  );
}

function ContactOf({ client: { contact } }: { readonly client: Client }) {
  const texts = detailWords.value;
  if (contact === null) return <p class="text-dim">{texts.noContact}</p>;
  return (
    <div class={CARD}>
      <p class="font-semibold" dir="auto">
        {beginning(contact.name)}
      </p>
      {contact.responsible?.name && <p class="text-dim">{texts.responsible(contact.responsible.name)}</p>}
      {contact.uri !== null && /^https?:/i.test(contact.uri) && (
        <a href={contact.uri} target="_blank" rel="noopener noreferrer">
          {texts.openInCrm}
        </a>
      )}
    </div>
  );
}

function DealCard({ deal, chat }: { readonly deal: Client["deals"][number]; readonly chat: Chat }) {
  const texts = detailWords.value;
  const isLinked = deal.uri !== null && /^https?:/i.test(deal.uri);
  const details = [deal.responsible?.name ?? "", deal.closed ? texts.closedDeal : ""].filter(
    (part) => part !== "",
  );
  return (
    <div class={CARD}>
      <p class="font-semibold" dir="auto">
        {beginning(deal.name)}
      </p>
      {details.length > 0 && <p class="text-dim">{details.join(" · ")}</p>}
      {opensDeals() ? (
        <button
          type="button"
          class="justify-self-start text-accent-text underline"
          aria-label={texts.openDeal(deal.name)}
          onClick={() => announceDeal(deal, chat)}
        >
          {texts.openInCrm}
        </button>
      ) : (
        isLinked && (
          <a
            href={deal.uri ?? ""}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={texts.openDeal(deal.name)}
          >
            {texts.openInCrm}
          </a>
        )
      )}
    </div>
  );
}

function Facts({ chat }: { readonly chat: Chat }) {
  const texts = detailWords.value;
  const facts: readonly (readonly [string, string | null])[] = [
    [texts.channel, channelName(chat.channel_id, chat.transport)],
    [texts.phone, chat.phone === null ? null : `+${chat.phone}`],
    [texts.username, chat.username === null ? null : `@${chat.username}`],
    [texts.id, chat.messenger_chat_id],
  ];
  const mark = (unanswered: boolean) =>
    void settleChat(chat.id, ask("markUnanswered", { path: { id: chat.id }, body: { unanswered } }));
  return (
    <Section title={texts.chat}>
      <dl class="grid gap-2">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt class="text-dim">{name}</dt>
              <dd class="select-all">{value}</dd>
            </div>
          ),
        )}
      </dl>
      <Button onPress={() => mark(chat.unanswered === 0)}>
        {chat.unanswered > 0 ? texts.noAnswerNeeded : texts.markUnanswered}
      </Button>
    </Section>
  );
}
