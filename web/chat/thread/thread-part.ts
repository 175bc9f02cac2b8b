import { lazy } from "../../kit/lazy.tsx";
import { ThreadSkeleton } from "./thread-skeleton.tsx";

/**
 * The conversation with its composer: a third of the page. It is requested with the session, so that the list is shown
 * without waiting for it.
 */
export const ThreadPane = lazy(async () => (await import("./thread-pane.tsx")).ThreadPane, ThreadSkeleton);
