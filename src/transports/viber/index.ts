import { defineTransport } from "../../core/transport/connector.ts";
import { invite, verify } from "./account.ts";
import { receive } from "./callback.ts";
import { definition } from "./definition.ts";
import { openSession } from "./session.ts";
import { receiveForApp } from "./shared-bot.ts";

export default defineTransport(definition, {
  verify,
  invite,
  open: (link) => openSession(link),
  receive,
  receiveForApp,
});
