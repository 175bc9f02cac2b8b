import pg, { type ClientBase, type QueryResult } from "pg";

/** A value as SQL text, for the statements that take no parameters. */
export const literal: (text: string) => string = pg.escapeLiteral;

/** What the driver calls on the query that is under way; its declared types leave it out. */
interface CopyData {
  readonly chunk: Buffer;
}

class CopyOut extends pg.Query {
  readonly #onData: (data: Buffer) => void;
  #failure: { readonly error: unknown } | null = null;

  constructor(
    text: string,
    onData: (data: Buffer) => void,
    settle: { resolve: (rows: number) => void; reject: (error: unknown) => void },
  ) {
    super(text, (error: Error | undefined, result: unknown) => {
      const failure = this.#failure ?? (error ? { error } : null);
      if (failure !== null) settle.reject(failure.error);
      else settle.resolve((result as QueryResult).rowCount ?? 0);
    });
    this.#onData = onData;
  }

  /** Thrown through the driver, an error of ours would break the connection. */
  handleCopyData({ chunk }: CopyData): void {
    if (this.#failure !== null) return;
    try {
      this.#onData(chunk);
    } catch (error) {
      this.#failure = { error };
    }
  }
}

/** `Database.copy` on one connection. */
export function copyOut(client: ClientBase, text: string, onData: (data: Buffer) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    client.query(new CopyOut(text, onData, { resolve, reject }));
  });
}
