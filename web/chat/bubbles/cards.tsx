import type { ComponentChildren } from "preact";
import { Icon } from "../../kit/icon.tsx";
import { beginning } from "../../kit/pieces.ts";
import { type Message, nameShown, type StoredFile } from "../model.ts";
import { bubbleWords, cardWords } from "../texts/texts.ts";
import { Buttons, Labelled } from "./parts.tsx";
import { mapLink, readPlace } from "./place.ts";
import { OutLink, RichText } from "./rich-text.tsx";
import { readVcard } from "./vcard.ts";

export function ContactCard({ text }: { readonly text: string }) {
  const { name, phones, emails, organisation } = readVcard(text);
  return (
    <Labelled icon="user">
      <span class="font-semibold">{nameShown(name) || bubbleWords.value.contact}</span>
      {organisation !== "" && <span class="text-sm text-dim">{nameShown(organisation)}</span>}
      {phones.map((phone) => (
        <a key={phone} class="block py-0.5" href={`tel:${phone.replaceAll(/[^+\d]/g, "")}`}>
          {phone}
        </a>
      ))}
      {emails.map((email) => (
        <a key={email} class="block py-0.5" href={`mailto:${email}`}>
          {email}
        </a>
      ))}
    </Labelled>
  );
}

export function PlaceCard({ message }: { readonly message: Message }) {
  const place = readPlace(message.text);
  if (place === null) return <RichText text={message.text} chatType={message.chatType} id={message.id} />;
  return (
    <Labelled icon="pin">
      <span class="font-semibold">{nameShown(place.name) || bubbleWords.value.place}</span>
      <span class="text-sm text-dim">
        {place.latitude.toFixed(5)}, {place.longitude.toFixed(5)}
      </span>
      <OutLink href={mapLink(place)}>{cardWords.value.onMap}</OutLink>
    </Labelled>
  );
}

interface SubjectProps {
  readonly label: string;
  readonly title: string;
  readonly detail: string;
  readonly url: string | null;
}

/** The post or listing that a message is about. */
export function SubjectCard({ label, title, detail, url }: SubjectProps) {
  return (
    <span class="mb-1 grid gap-0.5 border-l-3 border-edge pl-2 text-sm">
      <span class="font-semibold">
        {label}
        {title !== "" && ` · ${beginning(title)}`}
      </span>
      {detail !== "" && <span class="line-clamp-2 text-dim">{beginning(detail)}</span>}
      {url !== null && /^https?:/i.test(url) && <OutLink href={url}>{cardWords.value.openPost}</OutLink>}
    </span>
  );
}

export function Poll({ title, options }: { readonly title: string; readonly options: readonly string[] }) {
  return (
    <span class="grid gap-1">
      <span class="font-semibold">{title}</span>
      <ul class="grid gap-1">
        {options.map((option) => (
          <li key={option} class="flex items-center gap-2">
            <span class="h-3.5 w-3.5 shrink-0 rounded-full border border-edge" aria-hidden="true" />
            {option}
          </li>
        ))}
      </ul>
    </span>
  );
}

/** A file on another host, which sees the reader only when the link is pressed. */
export function External({ file }: { readonly file: StoredFile }) {
  return (
    <Labelled icon="external">
      <OutLink href={file.url}>{nameShown(file.name ?? new URL(file.url).hostname)}</OutLink>
    </Labelled>
  );
}

interface TemplateProps {
  readonly message: Message;
  /** The file of its header. */
  readonly children: ComponentChildren;
}

/** A template as the customer sees it. */
export function TemplateBody({ message, children }: TemplateProps) {
  const { template } = message.wire;
  const body = template?.body ?? message.text;
  const buttons = (template?.buttons ?? []).map((text) => ({ type: "text", text }));
  return (
    <span class="grid gap-1">
      <span class="flex items-center gap-1.5 text-xs text-dim">
        <Icon name="template" size={12} />
        {bubbleWords.value.template}
      </span>
      {children}
      {template?.header && <span class="font-semibold">{beginning(template.header)}</span>}
      <RichText text={body} chatType={message.chatType} id={message.id} />
      {template?.footer && <span class="text-sm text-dim">{beginning(template.footer)}</span>}
      <Buttons buttons={buttons} />
    </span>
  );
}
