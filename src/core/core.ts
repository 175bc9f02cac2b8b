import type { Base } from "./base.ts";
import type { HasChannels } from "./channel/channel.ts";
import type { HasLinkSessions } from "./channel/channels.ts";
import type { HasChannelLog } from "./channel-log/channel-log.ts";
import type { HasAvatars } from "./chat/avatars.ts";
import type { HasChats } from "./chat/chats.ts";
import type { HasDeadLetters } from "./dead-letter/dead-letters.ts";
import type { HasLive } from "./event/live-notifier.ts";
import type { HasAppLinkLog } from "./inbound/app-link.ts";
import type { HasCallbackBudgets } from "./inbound/callback/callback-budgets.ts";
import type { HasCallbackChannels } from "./inbound/callback/callback-channels.ts";
import type { HasAccept } from "./message/accept.ts";
import type { HasReports } from "./message/report-queue.ts";
import type { HasGrantEnd } from "./oauth/grants.ts";

/**
 * All dependencies of core's functions, for those who call them from outside. Created once, when the service starts;
 * nothing in it belongs to one account. No domain imports it.
 */
export interface Core
  extends Base,
    HasGrantEnd,
    HasLinkSessions,
    HasLive,
    HasAccept,
    HasReports,
    HasChannelLog,
    HasDeadLetters,
    HasCallbackBudgets,
    HasCallbackChannels,
    HasAppLinkLog {
  readonly caches: HasChats["caches"] & HasAvatars["caches"] & HasChannels["caches"];
}
