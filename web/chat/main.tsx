import { tellParent } from "../kit/embed.ts";
import { offerLocales } from "../kit/i18n.ts";
import { startPage } from "../kit/start.tsx";
import { Toasts } from "../kit/toast.tsx";
import { Chats } from "./page.tsx";
import { LOCALES } from "./texts/texts.ts";

// The element of `clients/embed` knows by this that the browser has shown the page.
tellParent("page.opened");
offerLocales(LOCALES);
startPage(
  <>
    <Chats />
    <Toasts />
  </>,
);
