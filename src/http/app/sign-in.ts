import { Type } from "typebox";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import { rememberChannel } from "../../core/page-ticket/sessions.ts";
import {
  type Asked,
  askedAtStart,
  continueSignIn,
  departForMessenger,
  type SignInAnswer,
  type SignInStep,
  startSignIn,
} from "../../core/sign-in/sign-in.ts";
import type { SignInRefusal } from "../../core/transport/connector.ts";
import type { App } from "../app.ts";
import { errorAnswers, nullableString, uuidText } from "../schema/shapes.ts";
import { browserSecret, keepBrowserSecret } from "./browser-secret.ts";
import { comesFromElsewhere, pageOf } from "./session.ts";

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
            channel_id: uuidText({ description: "Id of the channel, which may not exist yet" }),
            url: Type.String({
              description: "Address that leads to the messenger; open it in a separate window",
            }),
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

const asked = {
  account: Type.Object(
    { id: Type.Integer({ description: "Number of the account" }), name: Type.String() },
    { description: "The account that the messenger account is connected to" },
  ),
  channel: { ...nullableString, description: "Name of the channel to reconnect; null: a new one" },
};
const answer = Type.Object({
  kind: Type.Unsafe<SignInAnswer["kind"]>({
    type: "string",
    enum: ["question", "closed", "connected", "choice", "elsewhere", "refused"],
    description:
      "`question`: nothing is connected before the person agrees to `asked`. `closed`: they have refused, and nothing was connected",
  }),
  asked: Type.Optional(
    Type.Object({
      ...asked,
      agreement: Type.String({ description: "Send it back with the next step once the person has agreed" }),
    }),
  ),
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
const params = Type.Object({ transport: Type.String() });
const start = Type.String({ minLength: 1, maxLength: 500, description: "From the address of `startSignIn`" });

/**
 * The routes of the window that goes to the messenger and comes back. It has no session: it proves by its cookie that
 * it is the browser that left.
 */
export function signInWindowRoutes(app: App, core: Core): void {
  app.addHook("onRequest", async ({ headers }) => {
    if (comesFromElsewhere(headers)) throw new AppError("NOT_FOUND");
  });
  askRoute(app, core);
  departRoute(app, core);
  continueRoute(app, core);
}

function askRoute(app: App, core: Core): void {
  app.post(
    "/app/api/sign-ins/:transport/questions",
    {
      schema: {
        operationId: "readSignIn",
        tags,
        summary: "What a sign-in would connect to, before the person goes to the messenger",
        params,
        body: Type.Object({ start }),
        response: { 200: Type.Object(asked), ...errorAnswers },
      },
      config: { errors: ["NOT_FOUND"] },
    },
    async ({ params: { transport }, body }) => askedFields(await askedAtStart(core, transport, body.start)),
  );
}

function departRoute(app: App, core: Core): void {
  app.post(
    "/app/api/sign-ins/:transport/departures",
    {
      schema: {
        operationId: "departForMessenger",
        tags,
        summary: "Go to the messenger; only this browser, known by a cookie, can continue the sign-in",
        params,
        body: Type.Object({ start }),
        response: {
          200: Type.Object({ url: Type.String({ description: "Address at the messenger" }) }),
          ...errorAnswers,
        },
      },
      config: { errors: ["NOT_FOUND"] },
    },
    async ({ params: { transport }, body, headers }, reply) => {
      const browser = keepBrowserSecret(core, headers.cookie, reply);
      return { url: await departForMessenger(core, transport, { start: body.start, browser }) };
    },
  );
}

function continueRoute(app: App, core: Core): void {
  app.post(
    "/app/api/sign-ins/:transport/continuations",
    {
      schema: {
        operationId: "continueSignIn",
        tags,
        summary: "Continue a sign-in after the messenger's redirect, after a choice, or end it",
        params,
        body: Type.Object({
          state: Type.String({ minLength: 1, maxLength: 500 }),
          query: Type.Optional(
            Type.String({ maxLength: 10_000, description: "The query of the messenger's redirect" }),
          ),
          choice: Type.Optional(Type.String({ maxLength: 200, description: "Id of the chosen item" })),
          refused: Type.Optional(Type.Boolean({ description: "The person does not agree" })),
          agreement: Type.Optional(Type.String({ maxLength: 100, description: "Of the last answer" })),
        }),
        response: { 200: answer, ...errorAnswers },
      },
      config: { errors: ["NOT_FOUND"] },
    },
    async ({ params: { transport }, body, headers }) => {
      const { state, agreement = null } = body;
      const browser = browserSecret(core, headers.cookie);
      return replyFields(
        await continueSignIn(core, transport, { state, browser, agreement, step: stepOf(body) }),
      );
    },
  );
}

interface Continuation {
  readonly query?: string;
  readonly choice?: string;
  readonly refused?: boolean;
}

function stepOf({ query = "", choice, refused = false }: Continuation): SignInStep {
  if (refused) return { refusal: true };
  return choice === undefined ? { query: new URLSearchParams(query) } : { choice };
}

function askedFields({ account: { id, name }, channel }: Asked) {
  return { account: { id, name }, channel };
}

function replyFields(reply: SignInAnswer) {
  const question =
    reply.asked === undefined
      ? {}
      : { asked: { ...askedFields(reply.asked), agreement: reply.asked.agreement } };
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
      return { kind: reply.kind, of: reply.of, items: [...reply.items], ...question };
    case "question":
    case "closed":
      return { kind: reply.kind, ...question };
    case "elsewhere":
      return { kind: reply.kind, url: reply.url };
    case "refused": {
      const { kind, reason, description } = reply;
      return { kind, reason, description };
    }
  }
}
