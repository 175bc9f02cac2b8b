import type { Core } from "../../../core/core.ts";
import type { App } from "../../app.ts";
import { cannedAnswerRoutes } from "./canned-answers.ts";
import { cardRoutes } from "./card.ts";
import { proposalRoutes } from "./proposals.ts";
import { readingRoutes } from "./reading.ts";
import { searchingRoutes } from "./searching.ts";
import { togetherRoutes } from "./together.ts";
import { writingRoutes } from "./writing.ts";

/** The JSON routes of the chat page, behind its session. */
export function chatRoutes(app: App, core: Core): void {
  readingRoutes(app, core);
  searchingRoutes(app, core);
  writingRoutes(app, core);
  togetherRoutes(app, core);
  cardRoutes(app, core);
  proposalRoutes(app, core);
  cannedAnswerRoutes(app, core);
}
