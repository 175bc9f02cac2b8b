import { AdminError } from "../../http/fields.ts";
import { GraphError } from "../../meta/graph-error.ts";

/** Lets the admin API use checks of the Graph API: their refusals become errors of the admin's caller. */
export async function asAdmin<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    throw new AdminError(400, "refused", error.parts.userMessage ?? error.message);
  }
}
