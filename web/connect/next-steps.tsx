import { dictionary } from "../kit/i18n.ts";
import { Guide } from "./frame.tsx";
import type { Channel } from "./state.ts";

const texts = dictionary({
  en: {
    title: "What comes next",
    write: "Write a test message to this account, from another phone.",
    appears: "It appears in your CRM within seconds.",
    reply: "Reply there: the answer arrives on that phone.",
    open: "Open the chat to write to",
  },
  ru: {
    title: "Что дальше",
    write: "Напишите этому аккаунту пробное сообщение с другого телефона.",
    appears: "Через несколько секунд оно появится в вашей CRM.",
    reply: "Ответьте оттуда: ответ придёт на тот телефон.",
    open: "Открыть чат, в который писать",
  },
});

/** After a channel was connected: how to see that it works. */
export function NextSteps({ channel }: { readonly channel: Channel }) {
  const { title, write, appears, reply, open } = texts.value;
  const address = addressOf(channel);
  return (
    <div class="grid gap-3">
      <h2 class="font-semibold">{title}</h2>
      <Guide steps={[write, appears, reply]} />
      {address !== null && (
        <a href={address} target="_blank" rel="noopener noreferrer">
          {open}
        </a>
      )}
    </div>
  );
}

/** Where other people write to the account; null if the messenger has no such address. */
function addressOf({ transport, phone, username }: Channel): string | null {
  const number = /^\d{5,15}$/.test(phone) ? phone : null;
  switch (transport) {
    case "whatsapp":
    case "wapi":
      return number === null ? null : `https://wa.me/${number}`;
    case "telegram":
    case "tgapi":
      return username === "" ? null : `https://t.me/${encodeURIComponent(username)}`;
    case "instagram":
      return username === "" ? null : `https://ig.me/m/${encodeURIComponent(username)}`;
    default:
      return null;
  }
}
