import { defineTransport } from "../../core/transport/connector.ts";
import { definition } from "./definition.ts";
import { receiveForApp } from "./inbound/callback.ts";
import { verify } from "./linking/account.ts";
import { signIn } from "./linking/sign-in.ts";
import { templateMethods } from "./outbound/templates.ts";
import { openSession } from "./session.ts";

export default defineTransport(definition, {
  verify: async (access, signal) => ({ profile: await verify(access, signal) }),
  signIn,
  open: (link) => openSession(link),
  receiveForApp,
  templates: templateMethods,
});
