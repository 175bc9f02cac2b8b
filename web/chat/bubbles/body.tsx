import type { ComponentChildren } from "preact";
import { beginning } from "../../kit/pieces.ts";
import { later } from "../later.ts";
import type { Message } from "../model.ts";
import { bubbleWords } from "../texts/texts.ts";
import { Album, Document, Picture, Video } from "./media.tsx";
import { Buttons, Labelled } from "./parts.tsx";
import { readPoll } from "./place.ts";
import { RichText } from "./rich-text.tsx";

// Rarer kinds: one chunk for all, loaded when the first is shown.
const rare = () => import("./rare.ts");
const Audio = later(async () => (await rare()).Audio);
const Coming = later(async () => (await rare()).Coming);
const ContactCard = later(async () => (await rare()).ContactCard);
const PlaceCard = later(async () => (await rare()).PlaceCard);
const Poll = later(async () => (await rare()).Poll);
const External = later(async () => (await rare()).External);
const Sticker = later(async () => (await import("../sticker/sticker.tsx")).Sticker);
const TemplateBody = later(async () => (await rare()).TemplateBody);
const SubjectCard = later(async () => (await rare()).SubjectCard);

interface BodyProps {
  readonly messages: readonly [Message, ...Message[]];
  /** The time and the state: in the last line of the text, or below what is no text. */
  readonly foot: ComponentChildren;
}

/** The content of a message, by its type. */
export function Body({ messages, foot }: BodyProps) {
  const message = messages.at(-1) ?? messages[0];
  const isInText = endsInText(message);
  const inText = isInText ? foot : null;
  const { post, advert, referral, template, buttons } = message.wire;
  return (
    <>
      {post !== undefined && (
        <SubjectCard
          label={bubbleWords.value.comment}
          title={post.author}
          detail={post.description}
          url={post.src}
        />
      )}
      {advert !== undefined && (
        <SubjectCard
          label={bubbleWords.value.advert}
          title={advert.title ?? ""}
          detail={advert.price ?? ""}
          url={advert.url ?? null}
        />
      )}
      {referral !== undefined && (
        <SubjectCard
          label={bubbleWords.value.referral}
          title={referral.headline ?? referral.ref ?? ""}
          detail={referral.body ?? ""}
          url={referral.source_url ?? null}
        />
      )}
      {messages.length > 1 ? <Album messages={messages} /> : <Content message={message} foot={inText} />}
      {messages.length > 1 && <Caption message={message} foot={inText} />}
      {template === null && <Buttons buttons={buttons} />}
      {!isInText && <span class="flow-root">{foot}</span>}
    </>
  );
}

/** Whether its content ends with a text: its own, or a caption. */
function endsInText({ wire: { type, file }, text, pending }: Message): boolean {
  if (text === "") return false;
  if (type === "text") return readPoll(text) === null;
  if (type !== "image" && type !== "audio" && type !== "video" && type !== "document") return false;
  return file !== null && (file.state === "stored" || pending !== null);
}

interface ContentProps {
  readonly message: Message;
  readonly foot: ComponentChildren;
}

function Content({ message, foot }: ContentProps) {
  const { wire, text, chatType } = message;
  const file = wire.file;
  const { missedCall, unsupported, unsupportedHint, noFile } = bubbleWords.value;
  switch (wire.type) {
    case "text": {
      const poll = readPoll(text);
      return poll === null ? (
        <RichText text={text} chatType={chatType} id={message.id} foot={foot} />
      ) : (
        <Poll {...poll} />
      );
    }
    case "vcard":
      return <ContactCard text={text} />;
    case "geo":
      return <PlaceCard message={message} />;
    case "wapi_template":
      return (
        <TemplateBody message={message}>
          {file !== null && <FileBody message={message} file={file} />}
        </TemplateBody>
      );
    case "missing_call":
      return <Labelled icon="phone">{missedCall}</Labelled>;
    case "unsupported":
    case "unknown": {
      const kind = kindName(wire.unsupported ?? "unsupported");
      const poll = wire.unsupported === "poll" ? readPoll(text) : null;
      return (
        <Labelled icon="info">
          <span class="text-sm text-dim">
            {kind === null ? unsupported : text === "" ? `${unsupported} (${kind.toLowerCase()})` : kind}
          </span>
          {text === "" ? (
            <span class="text-sm text-dim">{unsupportedHint}</span>
          ) : poll === null ? (
            <RichText text={text} chatType={chatType} id={message.id} />
          ) : (
            <Poll {...poll} />
          )}
        </Labelled>
      );
    }
    default:
      if (file === null || file.state === "failed") return <Labelled icon="file">{noFile}</Labelled>;
      if (file.state === "waiting" && message.pending === null) return <Coming wire={wire} />;
      return (
        <>
          <FileBody message={message} file={file} />
          <Caption message={message} foot={foot} />
        </>
      );
  }
}

/** The kind of a message that has no counterpart here; a rare one has the messenger's own name. Null: not known. */
function kindName(what: string): string | null {
  const { poll, story, sticker, dice } = bubbleWords.value;
  const names: Readonly<Record<string, string>> = { poll, story, sticker, dice };
  return what === "unsupported" ? null : (names[what] ?? beginning(what));
}

interface FileProps {
  readonly message: Message;
  readonly file: NonNullable<Message["wire"]["file"]>;
}

function FileBody({ message, file }: FileProps) {
  if (file.is_external) return <External file={file} />;
  if (file.url === "") return <Document file={file} />;
  switch (file.kind) {
    case "image":
      return <Picture message={message} file={file} />;
    case "audio":
      return <Audio file={file} />;
    case "video":
      return <Video file={file} />;
    case "document":
      return file.mime_type === "application/x-tgsticker" ? (
        <Sticker file={file} />
      ) : (
        <Document file={file} />
      );
  }
}

function Caption({ message, foot }: ContentProps) {
  if (message.text === "") return null;
  return (
    <span class="mt-1 block">
      <RichText text={message.text} chatType={message.chatType} id={message.id} foot={foot} />
    </span>
  );
}
