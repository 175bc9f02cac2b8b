import { expect, test } from "vitest";
import type { Config } from "../config.ts";
import { warnOfSettings } from "./preflight.ts";

const REAL = {
  production: true,
  sandbox: false,
  publicUrl: "https://gateway.example",
  secretKey: "k",
  dataDir: "/data",
};

test.each<[string, Partial<Config>, readonly RegExp[]]>([
  ["an installation as it should be", {}, []],
  ["an address of this machine", { publicUrl: "http://127.0.0.1:8080" }, [/^PUBLIC_URL/]],
  ["the same by name", { publicUrl: "http://localhost:8080" }, [/^PUBLIC_URL/]],
  ["a generated key", { secretKey: undefined }, [/^SECRET_KEY/]],
  ["a trial", { production: false, publicUrl: "http://127.0.0.1:8080", secretKey: undefined }, []],
  ["a sandbox", { sandbox: true, publicUrl: "http://127.0.0.1:8080", secretKey: undefined }, []],
])("warnings of %s", (_of, settings, expected) => {
  const texts: string[] = [];
  const warn = (_data: object, text = "") => void texts.push(text);
  warnOfSettings({ ...REAL, ...settings } as Config, { warn });
  expect(texts).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
});
