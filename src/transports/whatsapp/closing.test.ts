import { expect, test } from "vitest";
import { type Closing, type Consequence, consequenceOf, ServerErrors } from "./closing.ts";

const none = { count: 0, durationMs: 0 };
const linked = { isLinked: true, serverErrors: none };
const linking = { isLinked: false, serverErrors: none };
const DAY_MS = 86_400_000;
const after = (count: number, durationMs: number) => ({
  ...linked,
  status: 500,
  serverErrors: { count, durationMs },
});
const failure = "Connection Failure";
const stream = (reason: string): string => `Stream Errored (${reason})`;

test.each<[Closing, Consequence]>([
  [{ ...linking, status: 408, message: "QR refs attempts ended" }, "qridle"],
  [{ ...linking, status: 515, message: stream("restart required") }, "restart"],
  [{ ...linked, status: 515, message: stream("restart required") }, "restart"],
  [{ ...linked, status: 440, message: stream("conflict") }, "openelsewhere"],
  [{ ...linked, status: 401, message: failure }, "unauthorized"],
  [{ ...linked, status: 401, message: stream("conflict") }, "unauthorized"],
  [{ ...linked, status: 403, message: failure }, "unauthorized"],
  [{ ...linked, status: 406, message: failure }, "unauthorized"],
  [{ ...linked, status: 411, message: "Multi-device beta not joined" }, "unauthorized"],
  [{ ...linked, status: 405, message: failure }, "outdated"],
  [{ ...linked, status: 408, message: "Connection was lost" }, "reconnect"],
  [{ ...linked, status: 428, message: "Connection Terminated" }, "reconnect"],
  [{ ...linked, status: 503, message: failure }, "reconnect"],
  [{ ...linked, status: 503, message: stream("unavailable") }, "reconnect"],
  // A fault of WhatsApp concerns all accounts, so their keys are kept for a day.
  [{ ...after(3, 3_000), message: failure }, "reconnect"],
  [{ ...after(3, 3_000), message: stream("unknown") }, "reconnect"],
  [{ ...after(200, DAY_MS - 1), message: failure }, "reconnect"],
  [{ ...after(200, DAY_MS), message: failure }, "unauthorized"],
  [{ ...after(200, DAY_MS), message: stream("unknown") }, "unauthorized"],
  [{ ...after(200, DAY_MS), status: 503, message: failure }, "reconnect"],
  // The channel was suspended for most of the time.
  [{ ...after(2, DAY_MS), message: failure }, "reconnect"],
  // The same status from a proxy or a broken connection does not come from WhatsApp, so no keys may be deleted.
  [{ ...linked, status: 401, message: "WebSocket Error (Unexpected server response: 401)" }, "reconnect"],
  [{ ...linked, status: 403, message: "WebSocket Error (Unexpected server response: 403)" }, "reconnect"],
  [{ ...linked, status: 405, message: "WebSocket Error (Unexpected server response: 405)" }, "reconnect"],
  [{ ...after(200, DAY_MS), message: "WebSocket Error (self-signed)" }, "reconnect"],
  [{ ...linked, status: 500, message: "bad signature" }, "reconnect"],
  // During linking there is nothing to lose yet.
  [{ ...linking, status: 401, message: failure }, "reconnect"],
  [{ ...linking, status: 440, message: stream("conflict") }, "reconnect"],
  [{ ...linking, status: 500, message: "bad signature" }, "reconnect"],
])("%j: %s", (closing, expected) => expect(consequenceOf(closing)).toBe(expected));

test.each<[string, object, object]>([
  ["another error 500", {}, { count: 3, durationMs: 20 }],
  ["an error 500 of an open connection", { openMs: 1 }, { count: 1, durationMs: 0 }],
  ["another status", { status: 503 }, none],
  ["an error 500 of a proxy", { message: "WebSocket Error (Unexpected server response: 500)" }, none],
])("a run of errors 500 after two of them and %s", (_, last, expected) => {
  const errors = new ServerErrors();
  const error = { status: 500, message: failure, openMs: 0 };
  errors.add(error, 1_000);
  errors.add(error, 1_010);
  expect(errors.add({ ...error, ...last }, 1_020)).toEqual(expected);
});
