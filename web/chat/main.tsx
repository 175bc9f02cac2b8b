import { tellParent } from "../kit/embed.ts";
import { startPage } from "../kit/start.tsx";
import { Toasts } from "../kit/toast.tsx";
import { Chats } from "./page.tsx";

// The element of `clients/embed` knows by this that the browser has shown the page.
tellParent("page.opened");
startPage(
  <>
    <Chats />
    <Toasts />
  </>,
);
