import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileStore, type FileStore } from "../../src/platform/file/files.ts";
import { createS3Store } from "../../src/platform/s3/store.ts";
import { type S3Server, startS3 } from "./s3.ts";

/** A store of files to test, and what lies in it. */
export interface TestStore {
  readonly store: FileStore;
  /** Names of all that is stored, finished or not. */
  everything(): string[];
  /** Loses all that is not finished. */
  loseDrafts(): void;
  /** What is behind the store, when it is S3. */
  readonly s3: S3Server | null;
  stop(): Promise<void>;
}

/** One of each kind. */
export const STORES: Readonly<Record<"disk" | "S3", () => Promise<TestStore>>> = {
  async disk() {
    const directory = mkdtempSync(join(tmpdir(), "files-"));
    const everything = (): string[] =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name);
    return {
      store: createFileStore({ directory }),
      everything,
      loseDrafts: () => rmSync(directory, { recursive: true }),
      s3: null,
      stop: async () => rmSync(directory, { recursive: true, force: true }),
    };
  },
  async S3() {
    const s3 = await startS3();
    const store = createS3Store({ ...s3, prefix: "a b/ü/" });
    return {
      store,
      everything: () => [...[...s3.objects.keys()].map((key) => key.replace("a b/ü/", "")), ...s3.uploads()],
      loseDrafts: s3.forgetUploads,
      s3,
      async stop() {
        await store.close();
        await s3.stop();
      },
    };
  },
};
