import type { Command } from "./command.ts";
import { accountCreate, accountList } from "./commands/account.ts";
import { accountFrames } from "./commands/account-frames.ts";
import { accountMove } from "./commands/account-move.ts";
import { auditList } from "./commands/audit.ts";
import { channelList, channelShow } from "./commands/channel.ts";
import { channelPacing } from "./commands/channel-pacing.ts";
import { channelPaid, channelUnpaid } from "./commands/channel-payment.ts";
import { crmSet, crmShow, crmUser, crmUsers } from "./commands/crm.ts";
import { doctor } from "./commands/doctor.ts";
import { inboundRefused, inboundRemove, inboundReplay, inboundShow } from "./commands/inbound.ts";
import { keyAdopt, keyRotate } from "./commands/key.ts";
import { messageExportList } from "./commands/message-export.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { oauthClientList, oauthClientRegister } from "./commands/oauth-client.ts";
import { operatorLink, operatorList, operatorRemove } from "./commands/operator.ts";
import { partnerCreate, partnerList, partnerPassword } from "./commands/partner.ts";
import { replay } from "./commands/replay.ts";
import { sandboxWalk } from "./commands/sandbox.ts";
import { start } from "./commands/start.ts";
import { tokenCreate, tokenList, tokenRevoke } from "./commands/token.ts";
import { exportCommand, importCommand } from "./commands/transfer.ts";
import {
  webhookDiscard,
  webhookList,
  webhookLog,
  webhookParked,
  webhookPause,
  webhookResume,
  webhookSecret,
  webhookShow,
  webhookTest,
} from "./commands/webhook.ts";

/** All commands, in the order of the general help. */
export const COMMANDS: readonly Command[] = [
  start,
  accountCreate,
  accountList,
  accountFrames,
  accountMove,
  tokenCreate,
  tokenList,
  tokenRevoke,
  partnerCreate,
  partnerList,
  partnerPassword,
  oauthClientRegister,
  oauthClientList,
  operatorLink,
  operatorList,
  operatorRemove,
  channelList,
  channelShow,
  channelPacing,
  channelUnpaid,
  channelPaid,
  crmShow,
  crmSet,
  crmUsers,
  crmUser,
  webhookList,
  webhookShow,
  webhookLog,
  webhookParked,
  webhookDiscard,
  webhookPause,
  webhookResume,
  webhookTest,
  webhookSecret,
  replay,
  inboundRefused,
  inboundShow,
  inboundReplay,
  inboundRemove,
  messageExportList,
  migrateCommand,
  doctor,
  auditList,
  keyRotate,
  keyAdopt,
  exportCommand,
  importCommand,
  sandboxWalk,
];
