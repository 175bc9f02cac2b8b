import { messageItem } from "../../../core/payload/v2-shapes.ts";
import { pageEnvelope } from "../envelope.ts";

/** A page of messages, as several routes return it. */
export const messagePage = { ...pageEnvelope(messageItem), title: "ListMessagesResponse" };
