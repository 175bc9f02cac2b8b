import type { LinkOf } from "../../core/transport/connector.ts";
import type { WhatsAppDefinition } from "./definition.ts";

/** The link of one WhatsApp account. */
export type WhatsAppLink = LinkOf<WhatsAppDefinition>;
