import type { HasTokens } from "./account/authenticate.ts";
import type { HasLogins } from "./account/login.ts";
import type { HasRateLimit } from "./account/rate-limit.ts";
import type { Base } from "./base.ts";
import type { HasChannels } from "./channel/channel.ts";
import type { HasLinkSessions } from "./channel/channels.ts";
import type { HasVaultNumbers } from "./channel/credentials/vault.ts";
import type { HasChannelLog } from "./channel-log/channel-log.ts";
import type { HasAvatars } from "./chat/avatars.ts";
import type { HasChats } from "./chat/chats.ts";
import type { HasTyping } from "./chat/typing.ts";
import type { HasHourNumbers } from "./console/numbers.ts";
import type { HasDeadLetters } from "./dead-letter/dead-letters.ts";
import type { HasWebhookTurns } from "./delivery/receiver/settings.ts";
import type { HasAddressKeys } from "./delivery/request/request.ts";
import type { HasDirectory } from "./directory/directory.ts";
import type { HasLive } from "./event/live-notifier.ts";
import type { HasLogReaders } from "./event/log-readers.ts";
import type { HasFileLookups } from "./file/files.ts";
import type { HasHistoryTurns } from "./history/take-history.ts";
import type { HasAppLinkLog } from "./inbound/app-link.ts";
import type { HasCallbackBudgets } from "./inbound/callback/callback-budgets.ts";
import type { HasCallbackChannels } from "./inbound/callback/callback-channels.ts";
import type { HasConnections } from "./inbound/link.ts";
import type { HasMarkBudgets } from "./inbox/mark-budgets.ts";
import type { HasAccept } from "./message/accept.ts";
import type { HasEarlyReports } from "./message/early-reports.ts";
import type { HasReports } from "./message/report-queue.ts";
import type { HasMoves } from "./move/moves.ts";
import type { HasGrantEnd } from "./oauth/grants.ts";
import type { HasPasswordTurns } from "./operator/password-turns.ts";
import type { HasProvider } from "./operator/provider-sign-in.ts";
import type { HasStatistics } from "./statistics/statistics.ts";

/**
 * All dependencies of core's functions, for those who call them from outside. Created once, when the service starts;
 * nothing in it belongs to one account. No domain imports it.
 */
export interface Core
  extends Base,
    HasGrantEnd,
    HasLinkSessions,
    HasLive,
    HasLogReaders,
    HasAccept,
    HasReports,
    HasChannelLog,
    HasDeadLetters,
    HasCallbackBudgets,
    HasCallbackChannels,
    HasAppLinkLog,
    HasConnections,
    HasVaultNumbers,
    HasHistoryTurns,
    HasEarlyReports,
    HasFileLookups,
    HasWebhookTurns,
    HasAddressKeys,
    HasRateLimit,
    HasTokens,
    HasLogins,
    HasPasswordTurns,
    HasProvider,
    HasHourNumbers,
    HasStatistics,
    HasMoves,
    HasDirectory,
    HasMarkBudgets {
  readonly caches: HasChats["caches"] & HasAvatars["caches"] & HasChannels["caches"] & HasTyping["caches"];
}
