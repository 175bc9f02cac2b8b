import { Type } from "typebox";
import { listTargetStates } from "../../../core/alert/alerts.ts";
import { targetsOf, testTargets } from "../../../core/alert/targets.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { OPERATORS_ONLY } from "./admission.ts";
import { timeOrNull } from "./shapes.ts";

const target = Type.Object({
  target: Type.Enum(["webhook", "email"]),
  address: Type.String({ description: "Origin of the webhook, or the e-mail addresses" }),
  sentAt: { ...nullableString, description: "The last notification that was accepted" },
  triedAt: { ...nullableString, description: "The last attempt" },
  failure: { ...nullableString, description: "Why the last attempt failed" },
});
const result = Type.Object({ target: target.properties.target, failure: nullableString });

/** Where operators are told of problems. */
export function alertRoutes(app: App, core: Core): void {
  app.get(
    "/app/api/console/alerts",
    {
      schema: {
        operationId: "listAlertTargets",
        tags: ["console"],
        summary: "Where problems are reported, and the last notification",
        response: { 200: Type.Array(target), ...errorAnswers },
      },
      config: { ...OPERATORS_ONLY },
    },
    async () => {
      const states = new Map((await listTargetStates(core)).map((state) => [state.target, state]));
      return targetsOf(core.settings.alerts).map(({ name, address }) => {
        const { sentAt = null, triedAt = null, failure = null } = states.get(name) ?? {};
        return { target: name, address, sentAt: timeOrNull(sentAt), triedAt: timeOrNull(triedAt), failure };
      });
    },
  );
  app.post(
    "/app/api/console/alerts/tests",
    {
      schema: {
        operationId: "testAlerts",
        tags: ["console"],
        summary: "Send a test to each target, now",
        response: { 200: Type.Array(result), ...errorAnswers },
      },
      config: { ...OPERATORS_ONLY, errors: ["NOT_FOUND"] },
    },
    async () => {
      const targets = targetsOf(core.settings.alerts);
      if (targets.length === 0)
        throw new AppError("NOT_FOUND", {
          description: "No target is set: see ALERT_WEBHOOK_URL and ALERT_EMAIL_TO",
        });
      return testTargets(core, targets);
    },
  );
}
