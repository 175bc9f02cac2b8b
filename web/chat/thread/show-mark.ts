import { online } from "../../kit/offline.tsx";
import type { Abilities } from "../model.ts";
import { marks } from "../preference.ts";
import { ask } from "../session.ts";

/** Messengers show typing for five seconds or more. */
const TYPING_MS = 5_000;
/** When typing was last shown, by chat. */
const typed = new Map<string, number>();

/** Shows a mark in the messenger, unless the employee does not want it; typing at most every five seconds. */
export async function showMark(chatId: string, mark: Abilities["marks"][number]): Promise<void> {
  if (marks.value === false || !online.value) return;
  if (mark === "typing") {
    const now = performance.now();
    if (now - (typed.get(chatId) ?? Number.NEGATIVE_INFINITY) < TYPING_MS) return;
    typed.set(chatId, now);
  }
  await ask("showMark", { path: { id: chatId }, body: { mark } });
}
