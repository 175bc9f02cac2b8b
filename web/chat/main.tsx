import { startPage } from "../kit/start.tsx";
import { Toasts } from "../kit/toast.tsx";
import { Chats } from "./page.tsx";

startPage(
  <>
    <Chats />
    <Toasts />
  </>,
);
