import { Type } from "typebox";
import { createChannel, reinitChannel } from "../../core/channel/channels.ts";
import { MAX_HISTORY_DAYS } from "../../core/channel/history.ts";
import { awaitLinkView, getLinkView, type LinkView } from "../../core/channel/link/link-view.ts";
import {
  requestCode,
  requestPairingCode,
  submitPasskey,
  submitSecret,
} from "../../core/channel/link/login.ts";
import { renameChannel } from "../../core/channel/rename.ts";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import { rememberChannel } from "../../core/page-ticket/sessions.ts";
import { channelsLink } from "../../core/page-ticket/tickets.ts";
import type { App } from "../app.ts";
import { closeAfter, type Places, takePlace } from "../limit/places.ts";
import { passkeyAnswer } from "../schema/passkey.ts";
import { errorAnswers, patterned } from "../schema/shapes.ts";
import { channelPath, credentialsOf, credentialsShape } from "../v2/channels/channel-shape.ts";
import { linkFields, linkShape, transportFields, transportShape } from "./link-shape.ts";
import { pageOf, pageOfChannel } from "./session.ts";

const WAIT_MS = 20_000;
const tags = ["pages"];
const transportName = Type.String({ minLength: 1, maxLength: 50 });
const channelName = patterned("notBlank", {
  maxLength: 100,
  description: "Stays, whatever the messenger account is called",
});
const secret = Type.String({ minLength: 1, maxLength: 1_000 });
/** A person may change their mind before the channel is linked. */
const chosenHistory = Type.Object({
  days: Type.Integer({
    minimum: 0,
    maximum: MAX_HISTORY_DAYS,
    description: "Import the messages of this many days before the channel is linked; 0: none",
  }),
});
const response = { 200: linkShape, ...errorAnswers };

/** The routes of the connect page. */
export function linkingRoutes(app: App, core: Core, places: Places): void {
  listRoute(app, core);
  createRoute(app, core);
  viewRoute(app, core, places);
  restartRoute(app, core);
  pairingCodeRoute(app, core);
  phoneCodeRoute(app, core);
  secretRoute(app, core);
  passkeyRoute(app, core);
  nameRoute(app, core);
  shareRoute(app, core);
}

function listRoute(app: App, core: Core): void {
  app.get(
    "/app/api/transports",
    {
      schema: {
        operationId: "listTransports",
        tags,
        summary: "The messengers that can be connected",
        response: { 200: Type.Array(transportShape), ...errorAnswers },
      },
    },
    async () => [...core.transports.values()].map(transportFields),
  );
}

function createRoute(app: App, core: Core): void {
  app.post(
    "/app/api/channels",
    {
      schema: {
        operationId: "connectChannel",
        tags,
        summary: "Start to connect a messenger account as a new channel",
        body: Type.Object({ transport: transportName, credentials: credentialsShape }),
        response,
      },
      config: {
        errors: [
          "TRANSPORT_NOT_AVAILABLE",
          "WRONG_CREDENTIALS",
          "CHANNEL_ALREADY_CONNECTED",
          "MESSENGER_UNAVAILABLE",
          "QUOTA_EXCEEDED",
        ],
      },
    },
    async (request) => {
      const session = pageOf(request);
      const { transport } = request.body;
      const { opening } = session;
      // The link was created for another transport or channel.
      if (
        opening.page !== "channels" ||
        opening.channelId !== null ||
        (opening.transport ?? transport) !== transport
      )
        throw new AppError("TRANSPORT_NOT_AVAILABLE");
      const credentials = credentialsOf(request.body.credentials);
      refuseEmpty(core, transport, credentials);
      const { id } = await createChannel(core, session.scope, { transport, credentials }, null);
      await rememberChannel(core, session, id);
      return linkFields(core, await getLinkView(core, session.scope, id, session.openedAt));
    },
  );
}

/** Only a program may create a channel that waits for credentials; here the person enters them, or signs in. */
function refuseEmpty(core: Core, transport: string, credentials: Readonly<Record<string, unknown>>): void {
  const definition = core.transports.get(transport)?.definition;
  const needs = definition?.connect === "page" || definition?.connect === "redirect";
  if (!needs || Object.keys(credentials).length > 0) return;
  const fields = (definition.credentials.required ?? []).map((name) => ({
    field: `credentials.${name}`,
    message: "is required",
  }));
  throw new AppError("VALIDATION_ERROR", { data: { fields } });
}

function viewRoute(app: App, core: Core, places: Places): void {
  const closing = new AbortController();
  app.addHook("preClose", (done) => {
    closing.abort();
    done();
  });
  app.get(
    "/app/api/channels/:id",
    {
      schema: {
        operationId: "watchChannel",
        tags,
        summary: "A channel that is being connected",
        description:
          "With `known` the answer waits until the channel differs from that version, at most twenty seconds.",
        params: channelPath,
        querystring: Type.Object({
          known: Type.Optional(
            Type.String({ maxLength: 100, description: "Version of the view that the page shows" }),
          ),
        }),
        response,
      },
      config: { errors: ["CHANNEL_NOT_FOUND"] },
    },
    async (request, reply) => {
      const { scope, hash, openedAt: since } = pageOfChannel(request);
      const { known } = request.query;
      if (known === undefined) return linkFields(core, await viewedChannel(core, request));
      const gone = new AbortController();
      const leave = (): void => gone.abort();
      const end = (): void => {
        closeAfter(reply);
        leave();
      };
      const free = takePlace(reply, places, {
        owner: hash.toString("hex"),
        group: String(scope.accountId),
        end,
      });
      request.raw.socket.once("close", leave);
      try {
        const signal = AbortSignal.any([closing.signal, gone.signal, AbortSignal.timeout(WAIT_MS)]);
        return linkFields(
          core,
          await awaitLinkView(core, scope, request.params.id, { known, since, signal }),
        );
      } finally {
        request.raw.socket.off("close", leave);
        free();
      }
    },
  );
}

function restartRoute(app: App, core: Core): void {
  app.post(
    "/app/api/channels/:id/restart",
    {
      schema: {
        operationId: "reconnectChannel",
        tags,
        summary: "Start to reconnect a channel",
        params: channelPath,
        body: Type.Object({ credentials: credentialsShape, history: Type.Optional(chosenHistory) }),
        response,
      },
      config: {
        errors: [
          "CHANNEL_NOT_FOUND",
          "CHANNEL_NO_MONEY",
          "WRONG_CREDENTIALS",
          "CHANNEL_ALREADY_CONNECTED",
          "MESSENGER_UNAVAILABLE",
        ],
      },
    },
    async (request) => {
      const { scope, isByOwnLink } = pageOfChannel(request);
      const credentials = credentialsOf(request.body.credentials);
      const { id } = request.params;
      const { history } = request.body;
      await reinitChannel(core, scope, id, { credentials, history, isByOwnLink });
      return linkFields(core, await viewedChannel(core, request));
    },
  );
}

function pairingCodeRoute(app: App, core: Core): void {
  app.post(
    "/app/api/channels/:id/pairing-code",
    {
      schema: {
        operationId: "pairChannel",
        tags,
        summary: "Connect with a code entered on the phone instead of a QR code",
        params: channelPath,
        body: Type.Object({ phone: secret }),
        response: {
          200: Type.Object({ code: Type.String(), phone: Type.String() }),
          ...errorAnswers,
        },
      },
      config: {
        errors: [
          "CHANNEL_NOT_FOUND",
          "MESSENGER_UNAVAILABLE",
          "PAIRING_CODE_NOT_SUPPORTED",
          "PAIRING_NOT_EXPECTED",
          "QR_EXPIRED",
        ],
      },
    },
    async (request) => {
      const { channel } = await viewedChannel(core, request);
      const { pairingCode: code, pairingPhone: phone } = await requestPairingCode(
        core,
        { accountId: channel.accountId },
        channel.id,
        { transport: channel.transport, phone: request.body.phone },
      );
      return { code, phone };
    },
  );
}

function phoneCodeRoute(app: App, core: Core): void {
  app.post(
    "/app/api/channels/:id/phone",
    {
      schema: {
        operationId: "sendCodeToPhone",
        tags,
        summary: "Request a code from the messenger by phone number instead of a QR code",
        params: channelPath,
        body: Type.Object({ phone: secret }),
        response,
      },
      config: { errors: ["CHANNEL_NOT_FOUND", "MESSENGER_UNAVAILABLE", "QR_EXPIRED"] },
    },
    async (request) => {
      const { channel } = await viewedChannel(core, request);
      await requestCode(core, { accountId: channel.accountId }, channel.id, request.body.phone);
      return linkFields(core, await viewedChannel(core, request));
    },
  );
}

function secretRoute(app: App, core: Core): void {
  app.post(
    "/app/api/channels/:id/secret",
    {
      schema: {
        operationId: "submitSecret",
        tags,
        summary: "Submit the code or password that a channel waits for",
        params: channelPath,
        body: Type.Object({ secret }),
        response,
      },
      config: {
        errors: ["CHANNEL_NOT_FOUND", "MESSENGER_UNAVAILABLE", "PASSWORD_NOT_EXPECTED", "WRONG_PASSWORD"],
      },
    },
    async (request) => {
      const { channel } = await viewedChannel(core, request);
      const scope = { accountId: channel.accountId };
      const { secret: given } = request.body;
      await submitSecret(core, scope, channel.id, { transport: channel.transport, secret: given });
      return linkFields(core, await viewedChannel(core, request));
    },
  );
}

function passkeyRoute(app: App, core: Core): void {
  app.post(
    "/app/api/channels/:id/passkey",
    {
      schema: {
        operationId: "submitPasskey",
        tags,
        summary: "Submit the answer of the account's passkey",
        params: channelPath,
        body: Type.Object({ answer: passkeyAnswer }),
        response,
      },
      config: {
        errors: ["CHANNEL_NOT_FOUND", "MESSENGER_UNAVAILABLE", "PASSKEY_NOT_EXPECTED", "PASSKEY_REFUSED"],
      },
    },
    async (request) => {
      const { channel } = await viewedChannel(core, request);
      const scope = { accountId: channel.accountId };
      const { answer } = request.body;
      await submitPasskey(core, scope, channel.id, { transport: channel.transport, answer });
      return linkFields(core, await viewedChannel(core, request));
    },
  );
}

/** The channel of the path, as far as the page may see it. */
function viewedChannel(core: Core, request: Parameters<typeof pageOfChannel>[0]): Promise<LinkView> {
  const { scope, openedAt } = pageOfChannel(request);
  return getLinkView(core, scope, request.params.id, openedAt);
}

function nameRoute(app: App, core: Core): void {
  app.post(
    "/app/api/channels/:id/name",
    {
      schema: {
        operationId: "renameChannel",
        tags,
        summary: "Give a channel a name",
        params: channelPath,
        body: Type.Object({ name: channelName }),
        response,
      },
      config: { errors: ["CHANNEL_NOT_FOUND"] },
    },
    async (request) => {
      await renameChannel(core, pageOfChannel(request).scope, request.params.id, request.body.name.trim());
      return linkFields(core, await viewedChannel(core, request));
    },
  );
}

function shareRoute(app: App, core: Core): void {
  app.post(
    "/app/api/channels/:id/share",
    {
      schema: {
        operationId: "shareChannelLink",
        tags,
        summary: "Create a link for the person with the phone; valid once, within ten minutes",
        params: channelPath,
        response: { 200: Type.Object({ link: Type.String() }), ...errorAnswers },
      },
      config: { errors: ["CHANNEL_NOT_FOUND"] },
    },
    async (request) => {
      const { issuer } = pageOfChannel(request);
      const opening = { transport: null, channelId: request.params.id };
      return { link: await channelsLink(core, issuer, opening) };
    },
  );
}
