import type { Session, Transport } from "../connector.ts";
import { CHAT_TYPE_TRAITS, CHAT_TYPES, type GroupUpdates, type TransportDefinition } from "../definition.ts";
import type { MessageBody, MessageRef, TransportEvent } from "../events.ts";
import type { Template } from "../template.ts";

/** A capability is declared exactly when its method exists. Answers the names that differ. */
export function findCapabilityMismatches({ definition, connector }: Transport, session: Session): string[] {
  const { capabilities } = definition;
  const needsSignIn = definition.connect === "redirect" || definition.connect === "page";
  const maySignIn = definition.connect === "credentials";
  const pairs: readonly (readonly [name: string, declared: boolean, present: boolean])[] = [
    ["verify", definition.connect !== "qr", connector.verify !== undefined],
    ["signIn", needsSignIn || (maySignIn && connector.signIn !== undefined), connector.signIn !== undefined],
    ["invite", definition.connect === "invitation", connector.invite !== undefined],
    [
      "receive",
      definition.calledBack === "channel" || connector.receive !== undefined,
      connector.receive !== undefined,
    ],
    [
      "receiveForApp",
      definition.calledBack === "app" ||
        (definition.calledBack === "channel" && connector.receiveForApp !== undefined),
      connector.receiveForApp !== undefined,
    ],
    ["templates", capabilities.templates, connector.templates !== undefined],
    ["edit", capabilities.edit !== null, session.edit !== undefined],
    ["remove", capabilities.remove !== null, session.remove !== undefined],
    ["openFile", capabilities.inboundFiles, session.openFile !== undefined],
    ["answer", capabilities.login.length > 0, session.answer !== undefined],
  ];
  return pairs.filter(([, declared, present]) => declared !== present).map(([name]) => name);
}

/** What makes a definition unusable for configuration, pages, documentation or pacing. */
export function findDefinitionProblems(definition: TransportDefinition): string[] {
  const { id, label, settings, capabilities, chatTypes, pacing } = definition;
  const { firstContact, warmUp } = pacing;
  const buckets = [pacing.channel, pacing.chat, ...Object.values(pacing.chatOfType ?? {})];
  const { edit, remove, replyWindow, resend } = capabilities;
  const remembered = resend === "unsafe" ? undefined : resend.idempotentForMs;
  const windows = [edit?.windowMs, remove?.windowMs, replyWindow?.ms, remembered];
  return problems([
    [/^[a-z]+$/.test(id), "id must be lower-case letters"],
    [label.trim() !== "", "label is empty"],
    [isPlainData(definition), "the definition is not plain data"],
    [chatTypes.every((type) => CHAT_TYPES.includes(type)), "a chat type is unknown"],
    [new Set(chatTypes).size === chatTypes.length, "a chat type is named twice"],
    [
      buckets.every(({ perSecond, burst }) => perSecond > 0 && burst >= 1),
      "a bucket of pacing lets nothing pass",
    ],
    [pacing.jitterMs >= 0 && (firstContact?.jitterMs ?? 0) >= 0, "jitter is negative"],
    [
      firstContact === undefined || (firstContact.perDay >= 1 && firstContact.burst >= 1),
      "the allowance of first contacts lets nothing pass",
    ],
    [
      warmUp === undefined || (warmUp.days > 0 && warmUp.share > 0 && warmUp.share <= 1),
      "the warm-up has no days or no share of the allowance",
    ],
    [warmUp === undefined || firstContact !== undefined, "a warm-up needs an allowance of first contacts"],
    [
      capabilities.groupUpdates === undefined || chatTypes.some((type) => CHAT_TYPE_TRAITS[type].group),
      "there is news of groups, but there are no groups",
    ],
    [capabilities.text.maxLength > 0, "text.maxLength must be above 0"],
    [Object.values(capabilities.media).every(({ maxBytes }) => maxBytes > 0), "a media limit is not above 0"],
    [windows.every((ms) => ms === undefined || ms === null || ms > 0), "a window is not above 0"],
    [
      definition.connect === "qr" || sensitiveFields(definition).length > 0,
      "no credential is marked sensitive",
    ],
    [
      Object.values(settings).every(({ env }) => /^[A-Z][A-Z0-9_]*$/.test(env)),
      "a setting's env name is odd",
    ],
    [Object.values(settings).every(({ help }) => help.trim() !== ""), "a setting has no help"],
    [
      Object.values(settings).every((each) => !each.address || URL.canParse(each.default)),
      "an address is no URL",
    ],
  ]);
}

/** Names of the credentials that are marked `sensitive: true`. */
export function sensitiveFields({ credentials, storedCredentials }: TransportDefinition): string[] {
  return Object.entries({ ...credentials.properties, ...storedCredentials?.properties })
    .filter(([, schema]) => "sensitive" in schema && schema.sensitive === true)
    .map(([name]) => name);
}

/** What core could not store or show of an event. */
export function findEventProblems(definition: TransportDefinition, event: TransportEvent): string[] {
  switch (event.kind) {
    case "message":
      return [
        ...findRefProblems(definition, event.message),
        ...findBodyProblems(event.message.body),
        ...problems([
          [isDate(event.message.sentAt), "sentAt is no date"],
          [
            event.message.quoted === undefined || event.message.quoted.externalId !== "",
            "the quoted id is empty",
          ],
        ]),
      ];
    case "edited":
      return [
        ...findRefProblems(definition, event.ref),
        ...findBodyProblems(event.body),
        ...problems([[isDate(event.at), "at is no date"]]),
      ];
    case "deleted":
      return [...findRefProblems(definition, event.ref), ...problems([[isDate(event.at), "at is no date"]])];
    case "readUpTo":
      return problems([
        [definition.chatTypes.includes(event.chatType), `chat type ${event.chatType} is not declared`],
        [definition.capabilities.receipts.includes("read"), "receipt read is not declared"],
        [event.chatId !== "", "the chat's id is empty"],
        [
          "sentAt" in event.upTo ? isDate(event.upTo.sentAt) : event.upTo.externalId !== "",
          "it is read up to nothing",
        ],
        [isDate(event.at), "at is no date"],
      ]);
    case "failed":
      return [
        ...findRefProblems(definition, event.ref),
        ...problems([
          [isDate(event.at), "at is no date"],
          [event.error.description !== "", "a failure has no description"],
        ]),
      ];
    case "receipt": {
      const known = event.status === "sent" || definition.capabilities.receipts.includes(event.status);
      return [
        ...findRefProblems(definition, event.ref),
        ...problems([[known, `receipt ${event.status} is not declared`]]),
      ];
    }
    case "moved":
      return problems([
        [definition.chatTypes.includes(event.chatType), `chat type ${event.chatType} is not declared`],
        [
          event.chatId !== "" && event.newChatId !== "" && event.chatId !== event.newChatId,
          "the chat does not move",
        ],
      ]);
    case "heard":
      return problems([
        [definition.chatTypes.includes(event.chatType), `chat type ${event.chatType} is not declared`],
        [event.chatId !== "", "the chat's id is empty"],
        [isDate(event.at), "at is no date"],
      ]);
    case "group":
      return [
        ...findRefProblems(definition, event.ref),
        ...problems([
          [isDate(event.at), "at is no date"],
          [event.title !== "", "a group's title is empty"],
          [event.title !== undefined || event.picture !== undefined, "nothing of the group changed"],
          [event.picture?.token !== "", "a file has no token"],
        ]),
        ...findNewsProblems(definition, event),
      ];
    case "members":
      return [
        ...findRefProblems(definition, event.ref),
        ...problems([
          [isDate(event.at), "at is no date"],
          [event.members.length > 0, "nobody's membership changed"],
          [
            event.members.every(({ person }) => person.id !== "" && person.name !== ""),
            "a person has no name",
          ],
          [
            new Set(event.members.map(({ person }) => person.id)).size === event.members.length,
            "a person is named twice",
          ],
        ]),
        ...findNewsProblems(definition, event),
      ];
    case "templates":
      return event.templates.flatMap(findTemplateProblems);
    case "template":
      return findTemplateProblems(event.template);
    case "hold":
      return problems([
        [event.hold === null || isDate(event.hold.until), "the end of a hold is no date"],
        [event.hold?.reason !== "", "a hold has no reason"],
      ]);
    case "tier":
    case "link":
      return [];
  }
}

/** What an event tells of a group, as the capability `groupUpdates` names it. */
export function newsOf(event: TransportEvent): GroupUpdates[] {
  if (event.kind === "members") return ["members"];
  if (event.kind !== "group") return [];
  return [
    ...(event.title === undefined ? [] : (["title"] as const)),
    ...(event.picture === undefined ? [] : (["picture"] as const)),
  ];
}

function findNewsProblems({ capabilities, chatTypes }: TransportDefinition, event: TransportEvent): string[] {
  const { chatType } = "ref" in event ? event.ref : { chatType: chatTypes[0] };
  return problems([
    [CHAT_TYPE_TRAITS[chatType].group, "a private chat is no group"],
    ...newsOf(event).map(
      (news) =>
        [
          capabilities.groupUpdates?.includes(news) === true,
          `news of a group's ${news} are not declared`,
        ] as const,
    ),
  ]);
}

function findTemplateProblems({ externalId, name, language }: Omit<Template, "components">): string[] {
  return problems([[externalId !== "" && name !== "" && language !== "", "a template has no name"]]);
}

function findRefProblems(
  { chatTypes }: TransportDefinition,
  { chatType, chatId, externalId }: MessageRef,
): string[] {
  return problems([
    [chatTypes.includes(chatType), `chat type ${chatType} is not declared`],
    [chatId !== "" && externalId !== "", "an id is empty"],
  ]);
}

function findBodyProblems(body: MessageBody): string[] {
  return problems([
    [body.type !== "media" || body.file.token !== "", "a file has no token"],
    [body.type !== "unsupported" || body.what !== "", "an unsupported message has no name"],
  ]);
}

/** Whether a secret shows, as it is or in a common encoding. */
export function leaks(text: string, secrets: readonly string[]): boolean {
  return secrets.flatMap(encodings).some((form) => text.includes(form));
}

function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("hex"),
  ];
}

/** Everything that a log could print of an error: message, stack, fields, and the same of its causes. */
export function printError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fields = JSON.stringify(error);
  return [error.message, error.stack, fields, error.cause === undefined ? "" : printError(error.cause)].join(
    "\n",
  );
}

/** The same fact at each replay, whatever the clock says. */
export function identityOf(event: TransportEvent): string {
  const times = mayHappenNow(event) ? ["sentAt", "at"] : ["sentAt"];
  return JSON.stringify(event, (key, value: unknown) => (times.includes(key) ? undefined : value));
}

/** Messengers may not say when somebody read or deleted something; a look at a group is of the moment. */
function mayHappenNow(event: TransportEvent): boolean {
  return (
    event.kind === "readUpTo" || event.kind === "deleted" || (event.kind === "group" && event.isSeen === true)
  );
}

function problems(checks: readonly (readonly [isFine: boolean, problem: string])[]): string[] {
  return checks.filter(([isFine]) => !isFine).map(([, problem]) => problem);
}

function isDate(date: Date): boolean {
  return date instanceof Date && Number.isFinite(date.getTime());
}

function isPlainData(value: unknown): boolean {
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") return false;
  return typeof value !== "object" || value === null || Object.values(value).every(isPlainData);
}
