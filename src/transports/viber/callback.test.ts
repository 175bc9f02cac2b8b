import { expect, it } from "vitest";
import { deliver, openCall, receive } from "./callback.ts";
import { linkTo, MESSAGE_TOKEN, SHARED_TOKEN, sample, signedCall, TOKEN, written } from "./testing.ts";

const NOWHERE = "http://127.0.0.1:9";

it("opens what the bot's token has signed, and keeps every digit", () => {
  const call = signedCall(written(sample("text")));
  expect(openCall(call, TOKEN)).toMatchObject({ raw: { message_token: MESSAGE_TOKEN } });
  expect(openCall(call, SHARED_TOKEN)).toEqual({ refusal: { status: 401 } });
  expect(openCall(signedCall("{}", ""), "")).toEqual({ refusal: { status: 401 } });
  expect(openCall({ ...call, method: "GET" }, TOKEN)).toEqual({ refusal: { status: 405 } });
  expect(openCall(signedCall(`[${"0,".repeat(6_000)}0]`), TOKEN)).toEqual({ refusal: { status: 413 } });
});

it("keeps what it cannot read, and confirms it", async () => {
  const link = linkTo(NOWHERE);
  expect(await receive(signedCall("no JSON"), link)).toEqual({ status: 200 });
  expect(link.deadLetters).toMatchObject([{ payload: "no JSON" }]);
});

it("welcomes who opens the bot, where there is a welcome", async () => {
  const start = signedCall(written(sample("opened")));
  expect(await receive(start, linkTo(NOWHERE))).toEqual({ status: 200 });
  const credentials = { viber_token: TOKEN, name: "Shop", welcome: "Good day" };
  const { body } = await receive(start, linkTo(NOWHERE, { credentials }));
  expect(JSON.parse(body ?? "")).toEqual({ sender: { name: "Shop" }, type: "text", text: "Good day" });
});

it("tells each callback once", async () => {
  const link = linkTo(NOWHERE);
  await deliver(sample("text"), link);
  await deliver(sample("delivered"), link);
  expect(link.events.map(({ kind }) => kind)).toEqual(["message", "receipt"]);
});

it("what was not stored is not confirmed", async () => {
  const link = linkTo(NOWHERE);
  link.onEmit(() => Promise.reject(new Error("the store is away")));
  await expect(receive(signedCall(written(sample("seen"))), link)).rejects.toThrow("the store is away");
});
