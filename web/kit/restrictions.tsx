import type { Operations } from "./api/generated.ts";
import { dictionary, locale, type TextsOf } from "./i18n.ts";
import { Notice } from "./notice.tsx";

export type Restriction = Operations["watchChannel"]["output"]["restrictions"][number];

const words = dictionary(
  {
    en: {
      new_chats:
        "The messenger currently does not let this account write to new people. Chats that exist go on as usual.",
      replies: "The messenger currently does not let this account reply to customers.",
      unanswered:
        "The messenger takes no more messages to people who do not answer. It goes on when they write.",
      spam: "The messenger currently holds back messages of this account, because it suspects spam.",
      volume: "This account has reached the messenger’s limit of messages or new chats.",
      quality:
        "Many people blocked or reported this account. If that goes on, the messenger may restrict it: write less, and only to people who expect it.",
      block_announced: "The messenger has announced that it will block this account.",
      until: (time: string) => `This ends on ${time}.`,
      unknown: "The messenger does not say when this ends.",
    },
    ru: {
      new_chats:
        "Мессенджер пока не даёт этому аккаунту писать новым людям. Прежние чаты работают как обычно.",
      replies: "Мессенджер пока не даёт этому аккаунту отвечать клиентам.",
      unanswered:
        "Мессенджер больше не принимает сообщений людям, которые не отвечают. Когда они напишут, переписка продолжится.",
      spam: "Мессенджер пока не пропускает сообщения этого аккаунта: подозревает спам.",
      volume: "Аккаунт исчерпал лимит мессенджера на сообщения или новые чаты.",
      quality:
        "Многие заблокировали этот аккаунт или пожаловались на него. Если так пойдёт дальше, мессенджер может его ограничить: пишите реже и только тем, кто этого ждёт.",
      block_announced: "Мессенджер предупредил, что заблокирует этот аккаунт.",
      until: (time: string) => `Это закончится ${time}.`,
      unknown: "Когда это закончится, мессенджер не сообщает.",
    },
  },
  "restrictions",
);
export type RestrictionTexts = TextsOf<typeof words>;

/** In words for the owner of a channel, without the messenger's own terms. */
export function restrictionText({ kind, until }: Pick<Restriction, "kind" | "until">): string {
  const { [kind]: what } = words.value;
  if (kind === "quality" || kind === "block_announced") return what;
  const end =
    until === null
      ? words.value.unknown
      : words.value.until(
          new Date(until).toLocaleString(locale.value, { dateStyle: "long", timeStyle: "short" }),
        );
  return `${what} ${end}`;
}

/** What the messenger does not allow the account of a channel; nothing if it allows everything. */
export function Restrictions({ of }: { readonly of: readonly Restriction[] }) {
  return (
    <>
      {of.map((restriction) => (
        <Notice key={restriction.kind} tone="wait">
          {restrictionText(restriction)}
        </Notice>
      ))}
    </>
  );
}
