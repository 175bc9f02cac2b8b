import { expect, it } from "vitest";
import { CredentialsError, GroupRefused, LoginRefused, TransportError } from "../errors.ts";
import { errorCodec } from "./errors.ts";

const { encode, decode } = errorCodec;
/** What the other process gets. */
const sent = (error: unknown): Error => decode(structuredClone(encode(error)));

it("transfers an error with its policy and consequences", () => {
  const cooldown = { until: new Date(5_000), reason: "Too many new chats" };
  const error = new TransportError("SPAM", "no", { data: "463", cooldown, cause: new Error("why") });
  expect(sent(error)).toMatchObject({
    constructor: TransportError,
    code: "SPAM",
    message: "no",
    retry: "never",
    data: "463",
    cooldown,
    stack: error.stack,
    cause: new Error("Error: why"),
  });
  const flood = new TransportError("TOO_MANY_EXT_REQS", "wait", { retry: { afterMs: 5, scope: "chat" } });
  expect(sent(flood)).toMatchObject({
    retry: { afterMs: 5, scope: "chat" },
    cooldown: undefined,
    data: undefined,
  });
});

it("transfers why a group call was refused", () => {
  expect(sent(new GroupRefused("not_an_admin", "no", { data: "403" }))).toMatchObject({
    constructor: GroupRefused,
    reason: "not_an_admin",
    message: "no",
    data: "403",
  });
});

it.each([
  ["a refused login", new LoginRefused("wrong", "no"), LoginRefused],
  ["refused credentials", new CredentialsError("no"), CredentialsError],
  ["any other error", new TypeError("no"), Error],
  ["what is no error", "no", Error],
])("%s keeps its class on the other side", (_, error, type) => {
  expect(sent(error)).toMatchObject({ constructor: type, message: "no" });
});
