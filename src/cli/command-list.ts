import type { Command } from "./command.ts";

/**
 * Loads each command by its name, in the order of the general help. Only the command that runs is loaded: all of them
 * would load the whole service, which takes several times as long as a short command.
 */
const LOADERS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import("./commands/start.ts")).start,
  "account create": async () => (await import("./commands/account.ts")).accountCreate,
  "account list": async () => (await import("./commands/account.ts")).accountList,
  "account frames": async () => (await import("./commands/account-frames.ts")).accountFrames,
  "account move": async () => (await import("./commands/account-move.ts")).accountMove,
  "token create": async () => (await import("./commands/token.ts")).tokenCreate,
  "token list": async () => (await import("./commands/token.ts")).tokenList,
  "token revoke": async () => (await import("./commands/token.ts")).tokenRevoke,
  "partner create": async () => (await import("./commands/partner.ts")).partnerCreate,
  "partner list": async () => (await import("./commands/partner.ts")).partnerList,
  "partner password": async () => (await import("./commands/partner.ts")).partnerPassword,
  "oauth client register": async () => (await import("./commands/oauth-client.ts")).oauthClientRegister,
  "oauth client list": async () => (await import("./commands/oauth-client.ts")).oauthClientList,
  "operator link": async () => (await import("./commands/operator.ts")).operatorLink,
  "operator list": async () => (await import("./commands/operator.ts")).operatorList,
  "operator remove": async () => (await import("./commands/operator.ts")).operatorRemove,
  "channel list": async () => (await import("./commands/channel.ts")).channelList,
  "channel show": async () => (await import("./commands/channel.ts")).channelShow,
  "channel pacing": async () => (await import("./commands/channel-pacing.ts")).channelPacing,
  "channel unpaid": async () => (await import("./commands/channel-payment.ts")).channelUnpaid,
  "channel paid": async () => (await import("./commands/channel-payment.ts")).channelPaid,
  "crm show": async () => (await import("./commands/crm.ts")).crmShow,
  "crm set": async () => (await import("./commands/crm.ts")).crmSet,
  "crm users": async () => (await import("./commands/crm.ts")).crmUsers,
  "crm user": async () => (await import("./commands/crm.ts")).crmUser,
  "webhook list": async () => (await import("./commands/webhook.ts")).webhookList,
  "webhook show": async () => (await import("./commands/webhook.ts")).webhookShow,
  "webhook log": async () => (await import("./commands/webhook.ts")).webhookLog,
  "webhook parked": async () => (await import("./commands/webhook.ts")).webhookParked,
  "webhook discard": async () => (await import("./commands/webhook.ts")).webhookDiscard,
  "webhook pause": async () => (await import("./commands/webhook.ts")).webhookPause,
  "webhook resume": async () => (await import("./commands/webhook.ts")).webhookResume,
  "webhook test": async () => (await import("./commands/webhook.ts")).webhookTest,
  "webhook secret": async () => (await import("./commands/webhook.ts")).webhookSecret,
  replay: async () => (await import("./commands/replay.ts")).replay,
  "sink show": async () => (await import("./commands/sink.ts")).sinkShow,
  "sink replay": async () => (await import("./commands/sink.ts")).sinkReplay,
  "sink drop": async () => (await import("./commands/sink.ts")).sinkDrop,
  "inbound refused": async () => (await import("./commands/inbound.ts")).inboundRefused,
  "inbound show": async () => (await import("./commands/inbound.ts")).inboundShow,
  "inbound replay": async () => (await import("./commands/inbound.ts")).inboundReplay,
  "inbound remove": async () => (await import("./commands/inbound.ts")).inboundRemove,
  "message export list": async () => (await import("./commands/message-export.ts")).messageExportList,
  mcp: async () => (await import("./commands/mcp.ts")).mcp,
  migrate: async () => (await import("./commands/migrate.ts")).migrateCommand,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  "audit list": async () => (await import("./commands/audit.ts")).auditList,
  "key rotate": async () => (await import("./commands/key.ts")).keyRotate,
  "key adopt": async () => (await import("./commands/key.ts")).keyAdopt,
  "directory create": async () => (await import("./commands/directory.ts")).directoryCreate,
  "directory show": async () => (await import("./commands/directory.ts")).directoryShow,
  export: async () => (await import("./commands/transfer.ts")).exportCommand,
  // The longest name first: a command is found by its first words.
  "import wazzup switch": async () => (await import("./commands/import-wazzup.ts")).importWazzupSwitch,
  "import wazzup": async () => (await import("./commands/import-wazzup.ts")).importWazzup,
  import: async () => (await import("./commands/transfer.ts")).importCommand,
  "sandbox walk": async () => (await import("./commands/sandbox.ts")).sandboxWalk,
};

export const COMMAND_NAMES: readonly string[] = Object.keys(LOADERS);

/** The command whose name the words begin with. */
export async function findCommand(words: readonly string[]): Promise<Command | undefined> {
  const name = COMMAND_NAMES.find((each) => each.split(" ").every((word, index) => words[index] === word));
  return name === undefined ? undefined : LOADERS[name]?.();
}

export function loadCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(LOADERS).map((load) => load()));
}
