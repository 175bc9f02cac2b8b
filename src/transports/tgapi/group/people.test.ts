import { expect, it } from "vitest";
import { type Asked, forEachPerson } from "./people.ts";

const asked: Asked[] = ["1", "2", "3"].map((id) => ({
  person: { id },
  id,
  user: { _: "inputUserEmpty" },
}));

/** Calls that end with these errors, by the person; all others succeed. */
function outcomes(refusals: Readonly<Record<string, unknown>>, people: readonly Asked[] = asked) {
  return forEachPerson(people, async ({ id }) => {
    if (id in refusals) throw refusals[id];
    return "done";
  });
}
const rpc = (code: number, text: string) => ({ code, text });

it("gives each person their own refusal", async () => {
  expect(await outcomes({ "2": rpc(403, "USER_PRIVACY_RESTRICTED") })).toEqual([
    { person: { id: "1" }, id: "1", result: "done" },
    { person: { id: "2" }, id: "2", result: "invitation_needed", data: "403 USER_PRIVACY_RESTRICTED" },
    { person: { id: "3" }, id: "3", result: "done" },
  ]);
});

it.each(["PEER_FLOOD", "FLOOD_WAIT_60", "CHAT_ADMIN_REQUIRED"])(
  "keeps what was done before %s",
  async (text) => {
    expect(await outcomes({ "2": rpc(400, text) })).toMatchObject([
      { result: "done" },
      { result: "refused", data: `400 ${text}` },
      { result: "refused", data: `400 ${text}` },
    ]);
  },
);

it("throws what nothing was done before", async () => {
  const flood = rpc(400, "PEER_FLOOD");
  await expect(outcomes({ "1": flood })).rejects.toBe(flood);
  const unknown: Asked = { person: { phone: "1" } };
  await expect(outcomes({ "2": flood }, [unknown, ...asked.slice(1)])).rejects.toBe(flood);
});

it("throws a call without a response, although others were done before", async () => {
  await expect(outcomes({ "2": new Error("aborted") })).rejects.toThrow("aborted");
});
