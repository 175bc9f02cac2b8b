import { Type } from "typebox";
import { continueSignIn, startSignIn } from "../../core/channel/link/sign-in.ts";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import { rememberChannel } from "../../core/page-ticket/sessions.ts";
import type { SignInRefusal, SignInReply } from "../../core/transport/connector.ts";
import type { App } from "../app.ts";
import { errorAnswers } from "../schema/shapes.ts";
import { pageOf } from "./session.ts";

const tags = ["pages"];
const REFUSALS: readonly SignInRefusal[] = [
  "denied",
  "unavailable",
  "nothing",
  "outdated",
  "messenger",
  "credentials",
];

/** `POST /app/api/sign-ins`: starts a sign-in for the page's session. */
export function startSignInRoute(app: App, core: Core): void {
  app.post(
    "/app/api/sign-ins",
    {
      schema: {
        operationId: "startSignIn",
        tags,
        summary: "Start to sign in at a messenger",
        body: Type.Object({ transport: Type.String({ minLength: 1, maxLength: 50 }) }),
        response: {
          200: Type.Object({
            channel_id: Type.String({ description: "Id of the channel, which may not exist yet" }),
            url: Type.String({ description: "Address at the messenger; open it in a separate window" }),
          }),
          ...errorAnswers,
        },
      },
      config: { errors: ["CHANNEL_NOT_FOUND", "TRANSPORT_NOT_AVAILABLE"] },
    },
    async (request) => {
      const session = pageOf(request);
      const { opening, scope } = session;
      const { transport } = request.body;
      if (opening.page !== "channels" || (opening.transport ?? transport) !== transport)
        throw new AppError("TRANSPORT_NOT_AVAILABLE");
      const { channelId, url } = await startSignIn(core, scope, {
        transport,
        channelId: opening.channelId,
      });
      await rememberChannel(core, session, channelId);
      return { channel_id: channelId, url };
    },
  );
}

const answer = Type.Object({
  kind: Type.Unsafe<SignInReply["kind"]>({
    type: "string",
    enum: ["connected", "choice", "elsewhere", "refused"],
  }),
  name: Type.Optional(Type.String({ description: "Id of the connected channel" })),
  phone: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  pin: Type.Optional(Type.String({ description: "The number's new PIN for two-step verification" })),
  of: Type.Optional(Type.Unsafe<"community" | "number">({ type: "string", enum: ["community", "number"] })),
  items: Type.Optional(Type.Array(Type.Object({ id: Type.String(), name: Type.String() }))),
  url: Type.Optional(Type.String({ description: "Where the person goes on" })),
  reason: Type.Optional(Type.Unsafe<SignInRefusal>({ type: "string", enum: [...REFUSALS] })),
  description: Type.Optional(Type.String()),
});

/**
 * `POST /app/api/sign-ins/{transport}/continuations`: continues in the window that the messenger redirected. It has
 * no session; `state` identifies the visit.
 */
export function continueSignInRoute(app: App, core: Core): void {
  app.post(
    "/app/api/sign-ins/:transport/continuations",
    {
      schema: {
        operationId: "continueSignIn",
        tags,
        summary: "Continue a sign-in after the messenger's redirect, or after a choice",
        params: Type.Object({ transport: Type.String() }),
        body: Type.Object({
          state: Type.String({ minLength: 1, maxLength: 500 }),
          query: Type.Optional(
            Type.String({ maxLength: 10_000, description: "The query of the messenger's redirect" }),
          ),
          choice: Type.Optional(Type.String({ maxLength: 200, description: "Id of the chosen item" })),
        }),
        response: { 200: answer, ...errorAnswers },
      },
      config: { errors: ["NOT_FOUND"] },
    },
    async ({ params, body: { state, query = "", choice } }) => {
      const step = choice === undefined ? { query: new URLSearchParams(query) } : { choice };
      return replyFields(await continueSignIn(core, params.transport, { state, step }));
    },
  );
}

function replyFields(reply: SignInReply) {
  switch (reply.kind) {
    case "connected": {
      const { kind, profile, pin } = reply;
      const { name, phone, username } = profile;
      return {
        kind,
        name,
        ...(phone === undefined ? {} : { phone }),
        ...(username === undefined ? {} : { username }),
        ...(pin === undefined ? {} : { pin }),
      };
    }
    case "choice":
      return { ...reply, items: [...reply.items] };
    case "elsewhere":
    case "refused":
      return { ...reply };
  }
}
