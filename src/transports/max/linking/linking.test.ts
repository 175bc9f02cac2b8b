import { expect, test } from "vitest";
import type { Json } from "../../kit/json.ts";
import { Refusal } from "../errors.ts";
import { FAST } from "../testing.ts";
import { OP } from "../wire/opcodes.ts";
import { Linking } from "./linking.ts";

const never = new AbortController().signal;
const CODE = { qrLink: "https://max.ru/:auth/1", trackId: "1" };

/** Shows codes with this validity until a check succeeds or nobody scanned one in time; returns how many. */
async function show(life: Json, timing: Partial<typeof FAST>, check: (checks: number) => Json) {
  let [codes, checks] = [0, 0];
  const call = async (opcode: number): Promise<Json> => {
    if (opcode === OP.qr) codes++;
    if (opcode === OP.qr) return { ...CODE, ...life };
    if (opcode === OP.qrStatus) return check(++checks);
    return { tokenAttrs: { LOGIN: { token: "t" } } };
  };
  const client = { call, ended: new Promise<string>(() => undefined) };
  const tell = async (): Promise<void> => undefined;
  const linking = new Linking({ client, timing: { ...FAST, pollMs: 1, ...timing }, signal: never, tell });
  return { token: await linking.token(), codes };
}

test.each<[string, () => Json]>([
  ["in seconds", () => ({ ttl: 20 })],
  ["that has nearly ended by this clock", () => ({ expiresAt: Date.now() + 20 })],
])("a code with a validity %s is shown for longer", async (_, life) => {
  const check = (checks: number): Json => ({ status: { loginAvailable: checks === 30 } });
  expect(await show(life(), { qrLeastMs: 1_000 }, check)).toEqual({ token: "t", codes: 1 });
});

test("codes that MAX ends immediately follow each other slowly", async () => {
  const check = (): Json => {
    throw new Refusal("track.not.found", "");
  };
  const { token, codes } = await show({}, { qrIdleMs: 200, qrLeastMs: 100 }, check);
  expect(token).toBeNull();
  expect(codes).toBeLessThanOrEqual(4);
});
