import type { EmulatorFactory } from "./emulator.ts";
import { createTelegram } from "./telegram/index.ts";
import { createWapi } from "./wapi/index.ts";
import { createWhatsapp } from "./whatsapp/index.ts";

/** Every emulated messenger. The name is its folder, its address and the name of its admin API. */
export const emulatorFactories: Readonly<Record<string, EmulatorFactory>> = {
  telegram: createTelegram,
  wapi: createWapi,
  whatsapp: createWhatsapp,
};
