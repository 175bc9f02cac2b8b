import { effect } from "@preact/signals";
import { setTheme } from "../kit/appearance.ts";
import { onCommand, tellParent } from "../kit/embed.ts";
import { localeOf } from "../kit/i18n.ts";
import { known, unreadCount } from "./list/chats.ts";
import type { Chat } from "./model.ts";
import { openChat, place } from "./navigation.ts";
import { changeLocale, LOCALES } from "./texts/texts.ts";

/** Takes the commands of the embedding page, and reports to it; once per document. `docs/pages.md` lists both. */
export function takeCommands(): void {
  onCommand("trunkline.chat", ({ chat }) => open(chat));
  onCommand("trunkline.theme", ({ theme }) => setTheme(theme, document.documentElement));
  onCommand("trunkline.language", ({ language }) => {
    const found = localeOf(String(language), LOCALES);
    if (found !== null) void changeLocale(found);
  });
  tellParent("ready");
  effect(() => tellParent("unread.changed", { count: unreadCount.value }));
  tellClosed();
  tellHeight();
}

function open(named: unknown): void {
  const { channelId, chatType, chatId } = (named ?? {}) as Readonly<Record<string, unknown>>;
  const isNamed = (chat: Chat): boolean =>
    chat.channel_id === channelId && chat.chat_type === chatType && chat.messenger_chat_id === chatId;
  const chat = [...known.value.values()].find(isNamed);
  if (chat === undefined) tellParent("chat.missing", { channelId, chatType, chatId });
  else void openChat(chat.id);
}

/** Tells when the list is shown again. */
function tellClosed(): void {
  let isOpen = place.value !== null;
  effect(() => {
    if (isOpen && place.value === null) tellParent("chat.closed");
    isOpen = place.value !== null;
  });
}

/** Tells the height at which the list and the conversation need no scroll bar, whenever it changes. */
function tellHeight(): void {
  let told = 0;
  let isPlanned = false;
  const tell = () => {
    isPlanned = false;
    const height = Math.max(
      ...[...document.querySelectorAll<HTMLElement>("[data-scrolls]")].map(wholeHeight),
      0,
    );
    if (height === told || height === 0) return;
    told = height;
    tellParent("height.changed", { height });
  };
  const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(tell);
  };
  const options = { childList: true, subtree: true, attributes: true, attributeFilter: ["style"] };
  new MutationObserver(plan).observe(document.body, options);
  new ResizeObserver(plan).observe(document.body);
  plan();
}

/** Of the page, if all of this part were in view; 0 if the part is not shown. */
function wholeHeight(scroller: HTMLElement): number {
  if (scroller.clientHeight === 0) return 0;
  const content = [...scroller.children].reduce((sum, { clientHeight }) => sum + clientHeight, 0);
  return innerHeight - scroller.clientHeight + content;
}
