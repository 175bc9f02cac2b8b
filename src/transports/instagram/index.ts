import { defineTransport } from "../../core/transport/connector.ts";
import { verify } from "./account.ts";
import { receiveForApp } from "./callback.ts";
import { definition } from "./definition.ts";
import { page } from "./page.ts";
import { openSession } from "./session.ts";

export default defineTransport(definition, {
  verify,
  page,
  open: (link) => openSession(link),
  receiveForApp,
});
