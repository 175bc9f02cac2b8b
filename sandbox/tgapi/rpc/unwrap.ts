import type { tl } from "@mtcute/core";
import type { Session } from "../mtproto/session.ts";
import type { TlReader } from "../tl/reader.ts";
import type { TlObject } from "../tl/value.ts";
import { bad } from "./error.ts";

/** Wrappers without effect here: calls are executed in order of arrival anyway. */
const transparent = new Set([
  "invokeAfterMsg",
  "invokeAfterMsgs",
  "invokeWithMessagesRange",
  "invokeWithTakeout",
]);

/** The call inside its wrappers, whose values are stored in the key and the session. */
export function unwrapCall(session: Session, first: TlReader): TlObject {
  let reader = first;
  let withoutUpdates = false;
  for (;;) {
    const request = reader.method();
    switch (request._) {
      case "invokeWithLayer":
        session.key.layer = (request as tl.RawInvokeWithLayerRequest).layer;
        reader = reader.inSchema(session.schema);
        break;
      case "initConnection":
        initConnection(session, request as tl.RawInitConnectionRequest);
        break;
      case "invokeWithoutUpdates":
        withoutUpdates = true;
        break;
      default:
        if (transparent.has(request._)) break;
        if (!withoutUpdates) session.wantsUpdates = true;
        return request;
    }
  }
}

function initConnection(session: Session, request: tl.RawInitConnectionRequest): void {
  const { apiId, deviceModel, systemVersion, appVersion } = request;
  if (apiId <= 0) throw bad("CONNECTION_API_ID_INVALID");
  if (deviceModel === "") throw bad("CONNECTION_DEVICE_MODEL_EMPTY");
  if (appVersion === "") throw bad("CONNECTION_APP_VERSION_EMPTY");
  session.key.app = { apiId, deviceModel, systemVersion, appVersion };
  session.world.changed();
}
