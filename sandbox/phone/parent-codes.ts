import type { AskForCodes, ShownCode } from "./codes.ts";

/** The sandbox's request to the gateway that started it. */
export interface CodesQuestion {
  readonly type: "codes?";
  readonly id: number;
}

/** The response. */
export interface CodesAnswer {
  readonly type: "codes";
  readonly id: number;
  readonly items: readonly ShownCode[];
}

const PATIENCE_MS = 5_000;

/** Asks the parent process for the codes that it shows. None without a parent, or if it does not respond. */
export function codesOfParent(): AskForCodes {
  const waiting = new Map<number, (items: readonly ShownCode[]) => void>();
  let last = 0;
  process.on("message", (message: Partial<CodesAnswer>) => {
    if (message.type === "codes" && message.id !== undefined) waiting.get(message.id)?.(message.items ?? []);
  });
  return () =>
    new Promise((resolve) => {
      if (!process.connected) return resolve([]);
      const id = ++last;
      const finish = (items: readonly ShownCode[]): void => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(items);
      };
      const timer = setTimeout(() => finish([]), PATIENCE_MS);
      waiting.set(id, finish);
      const question: CodesQuestion = { type: "codes?", id };
      process.send?.(question);
    });
}
