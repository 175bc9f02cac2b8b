import type { Core } from "../../../core/core.ts";
import type { App } from "../../app.ts";
import { cannedAnswerRoutes } from "./canned-answers.ts";
import { readingRoutes } from "./reading.ts";
import { searchingRoutes } from "./searching.ts";
import { writingRoutes } from "./writing.ts";

/** The JSON routes of the chat page, behind its session. */
export function chatRoutes(app: App, core: Core): void {
  readingRoutes(app, core);
  searchingRoutes(app, core);
  writingRoutes(app, core);
  cannedAnswerRoutes(app, core);
}
