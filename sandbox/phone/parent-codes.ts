import type { AskForCodes, ShownCode } from "./codes.ts";

/** What a sandbox asks the gateway that started it. */
export interface CodesQuestion {
  readonly type: "codes?";
  readonly id: number;
}

/** What that answers. */
export interface CodesAnswer {
  readonly type: "codes";
  readonly id: number;
  readonly items: readonly ShownCode[];
}

const PATIENCE_MS = 5_000;

/** Asks the parent process which codes it shows. Without a parent, or one that does not answer, there are none. */
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
