import type { LinkOf } from "../../core/transport/connector.ts";
import type { MaxDefinition } from "./definition.ts";

/** The link of one account. */
export type MaxLink = LinkOf<MaxDefinition>;
