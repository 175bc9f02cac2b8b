import { expect, it } from "vitest";
import { deliver, openCall, receive } from "./callback.ts";
import { linkTo, MESSAGE_TOKEN, SHARED_TOKEN, sample, signedCall, TOKEN, written } from "./testing.ts";

const NOWHERE = "http://127.0.0.1:9";

it("accepts calls signed with the bot's token, and keeps every digit of ids", () => {
  const call = signedCall(written(sample("text")));
  expect(openCall(call, TOKEN)).toMatchObject({ json: { message_token: MESSAGE_TOKEN } });
  expect(openCall(call, SHARED_TOKEN)).toEqual({ refusal: { status: 401 } });
  expect(openCall(signedCall("{}", ""), "")).toEqual({ refusal: { status: 401 } });
  expect(openCall({ ...call, method: "GET" }, TOKEN)).toEqual({ refusal: { status: 405 } });
  expect(openCall(signedCall(`[${"0,".repeat(6_000)}0]`), TOKEN)).toMatchObject({
    reason: "The JSON has more than 5000 values",
  });
});

it("stores a dead letter and acknowledges it", async () => {
  const link = linkTo(NOWHERE);
  expect(await receive(signedCall("no JSON"), link)).toEqual({ status: 200 });
  expect(link.deadLetters).toMatchObject([{ payload: "no JSON" }]);
});

it("sends the welcome message, if there is one, to a person who opens the bot", async () => {
  const start = signedCall(written(sample("opened")));
  expect(await receive(start, linkTo(NOWHERE))).toEqual({ status: 200 });
  const credentials = { viber_token: TOKEN, name: "Shop", welcome: "Good day" };
  const { body } = await receive(start, linkTo(NOWHERE, { credentials }));
  expect(JSON.parse(body ?? "")).toEqual({ sender: { name: "Shop" }, type: "text", text: "Good day" });
});

it("emits each callback once", async () => {
  const link = linkTo(NOWHERE);
  await deliver(sample("text"), link);
  await deliver(sample("delivered"), link);
  expect(link.events.map(({ kind }) => kind)).toEqual(["message", "receipt"]);
});

it("does not acknowledge an event that is not stored", async () => {
  const link = linkTo(NOWHERE);
  link.onEmit(() => Promise.reject(new Error("the store is unavailable")));
  await expect(receive(signedCall(written(sample("seen"))), link)).rejects.toThrow(
    "the store is unavailable",
  );
});
