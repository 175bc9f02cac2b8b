import type { Transport } from "../core/transport/connector.ts";
import telegram from "./telegram/index.ts";
import wapi from "./wapi/index.ts";
import whatsapp from "./whatsapp/index.ts";

/** Every messenger of this program. A new one adds its line here. */
export const transports: readonly Transport[] = [telegram, wapi, whatsapp];
