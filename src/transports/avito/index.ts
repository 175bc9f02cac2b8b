import { defineTransport } from "../../core/transport/connector.ts";
import { verify } from "./account.ts";
import { receive } from "./callback.ts";
import { definition } from "./definition.ts";
import { openSession } from "./session.ts";
import { signIn } from "./sign-in.ts";

export default defineTransport(definition, { verify, signIn, open: (link) => openSession(link), receive });
