import { expect, test } from "vitest";
import { type Closing, type Consequence, consequenceOf } from "./closing.ts";

const linked = { isLinked: true, brokenStreams: 0 };
const linking = { isLinked: false, brokenStreams: 0 };
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
  [{ ...linked, status: 500, message: stream("unknown"), brokenStreams: 2 }, "reconnect"],
  [{ ...linked, status: 500, message: stream("unknown"), brokenStreams: 3 }, "unauthorized"],
  // The same status from a proxy or a broken connection does not come from WhatsApp, so no keys may be deleted.
  [{ ...linked, status: 401, message: "WebSocket Error (Unexpected server response: 401)" }, "reconnect"],
  [{ ...linked, status: 403, message: "WebSocket Error (Unexpected server response: 403)" }, "reconnect"],
  [{ ...linked, status: 405, message: "WebSocket Error (Unexpected server response: 405)" }, "reconnect"],
  [{ ...linked, status: 500, message: "WebSocket Error (self-signed)", brokenStreams: 9 }, "reconnect"],
  [{ ...linked, status: 500, message: "bad signature" }, "reconnect"],
  // During linking there is nothing to lose yet.
  [{ ...linking, status: 401, message: failure }, "reconnect"],
  [{ ...linking, status: 440, message: stream("conflict") }, "reconnect"],
  [{ ...linking, status: 500, message: "bad signature" }, "reconnect"],
])("%j: %s", (closing, expected) => expect(consequenceOf(closing)).toBe(expected));
