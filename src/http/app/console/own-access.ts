import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import {
  beginSecondFactor,
  changePassword,
  confirmSecondFactor,
  endSecondFactor,
} from "../../../core/operator/second-factor.ts";
import { endConsoleSession, listConsoleSessions } from "../../../core/operator/sessions.ts";
import { isUuid } from "../../../platform/ids.ts";
import { qrPng } from "../../../platform/qr.ts";
import type { App } from "../../app.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { consoleOf, EVERYBODY, operatorOf } from "./admission.ts";

const tags = ["console"];
const secret = Type.String({ minLength: 1, maxLength: 1_000 });
const done = { 200: Type.Object({}), ...errorAnswers };

/** A user's own access: sessions, password, second factor. */
export function ownAccessRoutes(app: App, core: Core): void {
  sessionListRoutes(app, core);
  secondFactorRoutes(app, core);
  app.post(
    "/app/api/console/password",
    {
      schema: {
        operationId: "changePassword",
        tags,
        summary: "Set a new password; other sessions end",
        body: Type.Object({ current: secret, next: secret }),
        response: done,
      },
      config: { ...EVERYBODY, errors: ["WRONG_PASSWORD", "TOO_MANY_LOGINS"] },
    },
    async (request) => {
      await changePassword(core, consoleOf(request), request.body);
      return {};
    },
  );
}

function sessionListRoutes(app: App, core: Core): void {
  app.get(
    "/app/api/console/sessions",
    {
      schema: {
        operationId: "listSessions",
        tags,
        summary: "Where one is signed in",
        response: {
          200: Type.Array(
            Type.Object({
              id: Type.String(),
              isThis: Type.Boolean({ description: "The session of this request" }),
              createdAt: Type.String(),
              seenAt: Type.String(),
              expiresAt: Type.String(),
              address: Type.String({ description: "Where the person signed in from" }),
              agent: Type.String({ description: "The browser's User-Agent" }),
            }),
          ),
          ...errorAnswers,
        },
      },
    },
    async (request) => {
      const { id: own, operator } = consoleOf(request);
      const sessions = await listConsoleSessions(core.db, operator.id);
      return sessions.map(({ id, createdAt, seenAt, expiresAt, address, agent }) => ({
        id,
        isThis: id === own,
        createdAt: createdAt.toISOString(),
        seenAt: seenAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        address,
        agent,
      }));
    },
  );
  app.delete(
    "/app/api/console/sessions/:id",
    {
      schema: {
        operationId: "endSession",
        tags,
        summary: "End one of the user's own sessions",
        params: Type.Object({ id: Type.String() }),
        response: done,
      },
      config: { ...EVERYBODY, errors: ["NOT_FOUND"] },
    },
    async (request) => {
      const { id } = request.params;
      const { ended } = isUuid(id)
        ? await endConsoleSession(core, operatorOf(request).id, id)
        : { ended: false };
      if (!ended) throw new AppError("NOT_FOUND");
      return {};
    },
  );
}

function secondFactorRoutes(app: App, core: Core): void {
  app.post(
    "/app/api/console/second-factor",
    {
      schema: {
        operationId: "beginSecondFactor",
        tags,
        summary: "Create a key for an authenticator app; it takes effect with its first correct code",
        response: {
          200: Type.Object({
            key: Type.String({ description: "For typing, if the code cannot be scanned" }),
            qr: Type.String({ description: "The code to scan, as a data URI" }),
          }),
          ...errorAnswers,
        },
      },
      config: EVERYBODY,
    },
    async (request) => {
      const { key, uri } = await beginSecondFactor(core, operatorOf(request));
      return { key, qr: await qrPng(uri) };
    },
  );
  app.post(
    "/app/api/console/second-factor/codes",
    {
      schema: {
        operationId: "confirmSecondFactor",
        tags,
        summary: "Confirm the new key with its first code; from then on, signing in requires a code",
        body: Type.Object({ code: secret }),
        response: done,
      },
      config: { ...EVERYBODY, errors: ["WRONG_PASSWORD"] },
    },
    async (request) => {
      if (!(await confirmSecondFactor(core, operatorOf(request), request.body.code)))
        throw new AppError("WRONG_PASSWORD", { description: "The code is wrong" });
      return {};
    },
  );
  app.post(
    "/app/api/console/second-factor/end",
    {
      schema: {
        operationId: "endSecondFactor",
        tags,
        summary: "Remove the second factor",
        body: Type.Object({ password: secret }),
        response: done,
      },
      config: { ...EVERYBODY, errors: ["WRONG_PASSWORD", "TOO_MANY_LOGINS"] },
    },
    async (request) => {
      await endSecondFactor(core, operatorOf(request), request.body.password);
      return {};
    },
  );
}
