import type { LinkOf } from "../../core/transport/connector.ts";
import type { TgapiDefinition } from "./definition.ts";

/** The link of one account. */
export type TgapiLink = LinkOf<TgapiDefinition>;
