import { defineTransport } from "../../core/transport/connector.ts";
import { verify } from "./account.ts";
import { receiveForApp } from "./callback.ts";
import { definition } from "./definition.ts";
import { openSession } from "./session.ts";
import { signIn } from "./sign-in.ts";
import { templateMethods } from "./templates.ts";

export default defineTransport(definition, {
  verify: async (access, signal) => ({ profile: await verify(access, signal) }),
  signIn,
  open: (link) => openSession(link),
  receiveForApp,
  templates: templateMethods,
});
