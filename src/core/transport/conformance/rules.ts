import type { Session, Transport } from "../connector.ts";
import { CHAT_TYPE_TRAITS, CHAT_TYPES, type GroupUpdates, type TransportDefinition } from "../definition.ts";
import {
  CONTACT_NAMES_BATCH,
  HISTORY_BATCH,
  type MessageBody,
  type MessageRef,
  type TransportEvent,
} from "../events.ts";
import type { Template } from "../template.ts";

/** A capability must be declared if and only if its method exists. Returns the names that differ. */
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
    ["react", capabilities.reactions?.send === true, session.react !== undefined],
    ["mark", capabilities.marks !== undefined, session.mark !== undefined],
    ["groups", capabilities.groups !== undefined, session.groups !== undefined],
    ["findPerson", definition.pacing.phoneChecks !== undefined, session.findPerson !== undefined],
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
    [new Set(chatTypes).size === chatTypes.length, "a chat type is listed twice"],
    [buckets.every(({ perSecond, burst }) => perSecond > 0 && burst >= 1), "a pacing bucket allows nothing"],
    [pacing.jitterMs >= 0 && (firstContact?.jitterMs ?? 0) >= 0, "jitter is negative"],
    [
      firstContact === undefined || (firstContact.perDay >= 1 && firstContact.burst >= 1),
      "the allowance of first contacts allows nothing",
    ],
    [
      pacing.phoneChecks === undefined || (pacing.phoneChecks.perDay >= 1 && pacing.phoneChecks.burst >= 1),
      "the allowance of phone checks allows nothing",
    ],
    [
      warmUp === undefined || (warmUp.days > 0 && warmUp.share > 0 && warmUp.share <= 1),
      "the warm-up has no days or no share of the allowance",
    ],
    [warmUp === undefined || firstContact !== undefined, "a warm-up needs an allowance of first contacts"],
    [
      capabilities.groupUpdates === undefined || chatTypes.some((type) => CHAT_TYPE_TRAITS[type].group),
      "group updates are declared, but there are no groups",
    ],
    ...groupRules(definition),
    [capabilities.text.maxLength > 0, "text.maxLength must be above 0"],
    [Object.values(capabilities.media).every(({ maxBytes }) => maxBytes > 0), "a media limit is not above 0"],
    [
      Object.values(capabilities.media).every(
        ({ maxCaptionLength = 1 }) => maxCaptionLength > 0 && maxCaptionLength <= capabilities.text.maxLength,
      ),
      "a caption may have no characters, or more than a text",
    ],
    [windows.every((ms) => ms === undefined || ms === null || ms > 0), "a window is not above 0"],
    [
      definition.connect === "qr" || sensitiveFields(definition).length > 0,
      "no credential is marked sensitive",
    ],
    [
      Object.values(settings).every(({ env }) => /^[A-Z][A-Z0-9_]*$/.test(env)),
      "a setting's env name is invalid",
    ],
    [Object.values(settings).every(({ help }) => help.trim() !== ""), "a setting has no help"],
    [
      Object.values(settings).every((each) => !each.address || URL.canParse(each.default)),
      "an address is not a URL",
    ],
  ]);
}

function groupRules({ chatTypes, capabilities: { groups } }: TransportDefinition): Rule[] {
  if (groups === undefined) return [];
  const { chatType, create, rename, picture, participants, roles, limits } = groups;
  return [
    [chatTypes.includes(chatType), "the chat type of groups is not declared"],
    [
      create || rename || picture !== null || participants.length + roles.length > 0,
      "groups are declared, but nothing can be done with them",
    ],
    [limits.name > 0, "the limit of a group's name is not above 0"],
    [limits.people.min >= 0 && limits.people.max >= limits.people.min, "no number of people is allowed"],
    [picture === null || picture.maxBytes > 0, "a group's picture may have no bytes"],
  ];
}

/** Names of the credentials that are marked `sensitive: true`. */
export function sensitiveFields({ credentials, storedCredentials }: TransportDefinition): string[] {
  return Object.entries({ ...credentials.properties, ...storedCredentials?.properties })
    .filter(([, schema]) => "sensitive" in schema && schema.sensitive === true)
    .map(([name]) => name);
}

/** What core could not store or display of an event. */
export function findEventProblems(definition: TransportDefinition, event: TransportEvent): string[] {
  switch (event.kind) {
    case "message":
      return findMessageProblems(definition, event);
    case "history":
      return [
        ...event.messages.flatMap((message) => findMessageProblems(definition, { kind: "message", message })),
        ...problems([
          [definition.capabilities.history === true, "imports of history are not declared"],
          [event.messages.length <= HISTORY_BATCH, `a batch has more than ${HISTORY_BATCH} messages`],
        ]),
      ];
    case "edited":
      return [
        ...findRefProblems(definition, event.ref),
        ...findBodyProblems(event.body),
        ...problems([isAt(event)]),
      ];
    case "deleted":
      return [...findRefProblems(definition, event.ref), ...problems([isAt(event)])];
    case "reaction":
      return [
        ...findRefProblems(definition, event.ref),
        ...problems([
          isAt(event),
          [definition.capabilities.reactions !== undefined, "reactions are not declared"],
        ]),
      ];
    case "readUpTo":
      return findReadProblems(definition, event);
    case "failed":
      return [
        ...findRefProblems(definition, event.ref),
        ...problems([isAt(event), [event.error.description !== "", "a failure has no description"]]),
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
        isDeclared(definition, event),
        [
          event.chatId !== "" && event.newChatId !== "" && event.chatId !== event.newChatId,
          "the chat does not move",
        ],
      ]);
    case "activity":
      return problems([
        isDeclared(definition, event),
        [event.chatId !== "", "the chat's id is empty"],
        isAt(event),
      ]);
    case "contactNames":
      return findNameProblems(definition, event);
    case "typing":
      return problems([
        isDeclared(definition, event),
        [event.chatId !== "", "the chat's id is empty"],
        [(event.seconds ?? 1) > 0, "typing ends before it begins"],
      ]);
    case "group":
      return findGroupProblems(definition, event);
    case "members":
      return findMembersProblems(definition, event);
    case "templates":
      return event.templates.flatMap(findTemplateProblems);
    case "template":
      return findTemplateProblems(event.template);
    case "cooldown":
      return problems([
        [event.cooldown === null || isDate(event.cooldown.until), "the end of a cooldown is not a date"],
        [event.cooldown?.reason !== "", "a cooldown has no reason"],
      ]);
    case "restriction":
      return problems([
        [
          event.restriction === null || event.restriction.until === null || isDate(event.restriction.until),
          "the end of a restriction is not a date",
        ],
        [event.restriction?.reason !== "", "a restriction has no reason"],
      ]);
    case "tier":
    case "link":
      return [];
  }
}

type EventOf<Kind extends TransportEvent["kind"]> = Extract<TransportEvent, { readonly kind: Kind }>;
type Rule = readonly [holds: boolean, problem: string];

const isAt = ({ at }: { readonly at: Date }): Rule => [isDate(at), "at is not a date"];

const isDeclared = (
  { chatTypes }: TransportDefinition,
  { chatType }: { readonly chatType: TransportDefinition["chatTypes"][number] },
): Rule => [chatTypes.includes(chatType), `chat type ${chatType} is not declared`];

function findMessageProblems(definition: TransportDefinition, { message }: EventOf<"message">): string[] {
  return [
    ...findRefProblems(definition, message),
    ...findBodyProblems(message.body),
    ...problems([
      [isDate(message.sentAt), "sentAt is not a date"],
      [message.quoted === undefined || message.quoted.externalId !== "", "the quoted id is empty"],
    ]),
  ];
}

function findReadProblems(definition: TransportDefinition, event: EventOf<"readUpTo">): string[] {
  return problems([
    isDeclared(definition, event),
    [definition.capabilities.receipts.includes("read"), "receipt read is not declared"],
    [event.chatId !== "", "the chat's id is empty"],
    [
      "sentAt" in event.upTo ? isDate(event.upTo.sentAt) : event.upTo.externalId !== "",
      "it is read up to nothing",
    ],
    isAt(event),
  ]);
}

function findNameProblems(definition: TransportDefinition, { names }: EventOf<"contactNames">): string[] {
  return [
    ...problems([
      [names.length > 0, "nobody is named"],
      [names.length <= CONTACT_NAMES_BATCH, `more than ${CONTACT_NAMES_BATCH} people are named`],
    ]),
    ...names.flatMap((each) =>
      problems([
        isDeclared(definition, each),
        [!CHAT_TYPE_TRAITS[each.chatType].group, "a group is not in an address book"],
        [each.chatId !== "", "the chat's id is empty"],
        [each.name !== "", "a name is empty"],
        isAt(each),
      ]),
    ),
  ];
}

function findGroupProblems(definition: TransportDefinition, event: EventOf<"group">): string[] {
  return [
    ...findRefProblems(definition, event.ref),
    ...problems([
      isAt(event),
      [event.title !== "", "a group's title is empty"],
      [event.title !== undefined || event.picture !== undefined, "nothing of the group changed"],
      [event.picture?.token !== "", "a file has no token"],
    ]),
    ...findGroupUpdateProblems(definition, event),
  ];
}

function findMembersProblems(definition: TransportDefinition, event: EventOf<"members">): string[] {
  const people = event.members.map(({ person }) => person);
  return [
    ...findRefProblems(definition, event.ref),
    ...problems([
      isAt(event),
      [people.length > 0, "no membership changed"],
      [people.every(({ id, name }) => id !== "" && name !== ""), "a person has no name"],
      [new Set(people.map(({ id }) => id)).size === people.length, "a person is listed twice"],
    ]),
    ...findGroupUpdateProblems(definition, event),
  ];
}

/** The group updates in an event, as named by the capability `groupUpdates`. */
export function groupUpdatesOf(event: TransportEvent): GroupUpdates[] {
  if (event.kind === "members") return ["members"];
  if (event.kind !== "group") return [];
  return [
    ...(event.title === undefined ? [] : (["title"] as const)),
    ...(event.picture === undefined ? [] : (["picture"] as const)),
  ];
}

function findGroupUpdateProblems(
  { capabilities, chatTypes }: TransportDefinition,
  event: TransportEvent,
): string[] {
  const { chatType } = "ref" in event ? event.ref : { chatType: chatTypes[0] };
  return problems([
    [CHAT_TYPE_TRAITS[chatType].group, "a private chat is not a group"],
    ...groupUpdatesOf(event).map(
      (update) =>
        [
          capabilities.groupUpdates?.includes(update) === true,
          `group updates of ${update} are not declared`,
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

/** Whether the text contains a secret, plain or in a common encoding. */
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

/** Everything that a log could print of an error: message, stack and fields, also of its causes. */
export function printError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fields = JSON.stringify(error);
  return [error.message, error.stack, fields, error.cause === undefined ? "" : printError(error.cause)].join(
    "\n",
  );
}

/** The part of an event that must be the same at each replay, whatever the time is. */
export function identityOf(event: TransportEvent): string {
  const times = mayHappenNow(event) ? ["sentAt", "at"] : ["sentAt"];
  return JSON.stringify(event, (key, value: unknown) => (times.includes(key) ? undefined : value));
}

/**
 * Messengers may omit when somebody read or deleted something, or reacted; the state of a group has the time of the
 * query.
 */
function mayHappenNow(event: TransportEvent): boolean {
  const { kind } = event;
  return (
    kind === "readUpTo" ||
    kind === "deleted" ||
    kind === "reaction" ||
    (kind === "group" && event.isSeen === true)
  );
}

function problems(checks: readonly Rule[]): string[] {
  return checks.filter(([isFine]) => !isFine).map(([, problem]) => problem);
}

function isDate(date: Date): boolean {
  return date instanceof Date && Number.isFinite(date.getTime());
}

function isPlainData(value: unknown): boolean {
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") return false;
  return typeof value !== "object" || value === null || Object.values(value).every(isPlainData);
}
