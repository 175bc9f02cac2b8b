import pg, { type ClientBase, type QueryResult } from "pg";

/** A value as an SQL literal, for statements that accept no parameters. */
export const literal: (text: string) => string = pg.escapeLiteral;

/** Passed by the driver to the active query; missing in its type declarations. */
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

  /** Must not throw: an exception inside the driver would break the connection. */
  handleCopyData({ chunk }: CopyData): void {
    if (this.#failure !== null) return;
    try {
      this.#onData(chunk);
    } catch (error) {
      this.#failure = { error };
    }
  }
}

/** Implements `Database.copy` on one connection. */
export function copyOut(client: ClientBase, text: string, onData: (data: Buffer) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    client.query(new CopyOut(text, onData, { resolve, reject }));
  });
}
