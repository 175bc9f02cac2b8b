import { defineTransport } from "../../core/transport/connector.ts";
import { definition } from "./definition.ts";
import { receive } from "./inbound/callback.ts";
import { verify } from "./linking/account.ts";
import { signIn } from "./linking/sign-in.ts";
import { openSession } from "./session.ts";

export default defineTransport(definition, { verify, signIn, open: (link) => openSession(link), receive });
