import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../../kit/icon.tsx";
import type { Message, WireMessage } from "../model.ts";
import { bubbleWords } from "../texts/texts.ts";
import { mapLink, readPlace } from "./place.ts";
import { OutLink, RichText } from "./rich-text.tsx";
import { readVcard } from "./vcard.ts";

/** Something with an icon before it. */
export function Labelled({
  icon,
  children,
}: {
  readonly icon: IconName;
  readonly children: ComponentChildren;
}) {
  return (
    <span class="flex items-start gap-2.5">
      <span class="mt-0.5">
        <Icon name={icon} size={18} />
      </span>
      <span class="grid min-w-0 gap-0.5">{children}</span>
    </span>
  );
}

export function ContactCard({ text }: { readonly text: string }) {
  const { name, phones, emails, organisation } = readVcard(text);
  return (
    <Labelled icon="user">
      <span class="font-semibold">{name || bubbleWords.value.contact}</span>
      {organisation !== "" && <span class="text-sm text-dim">{organisation}</span>}
      {phones.map((phone) => (
        <a key={phone} href={`tel:${phone.replaceAll(/[^+\d]/g, "")}`}>
          {phone}
        </a>
      ))}
      {emails.map((email) => (
        <a key={email} href={`mailto:${email}`}>
          {email}
        </a>
      ))}
    </Labelled>
  );
}

export function PlaceCard({ message }: { readonly message: Message }) {
  const place = readPlace(message.text);
  if (place === null) return <RichText text={message.text} chatType={message.chatType} />;
  return (
    <Labelled icon="pin">
      <span class="font-semibold">{place.name || bubbleWords.value.place}</span>
      <span class="text-sm text-dim">
        {place.latitude.toFixed(5)}, {place.longitude.toFixed(5)}
      </span>
      <OutLink href={mapLink(place)}>{bubbleWords.value.onMap}</OutLink>
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
        {title !== "" && ` · ${title}`}
      </span>
      {detail !== "" && <span class="line-clamp-2 text-dim">{detail}</span>}
      {url !== null && /^https?:/i.test(url) && <OutLink href={url}>{bubbleWords.value.openPost}</OutLink>}
    </span>
  );
}

const BUTTON = "flex items-center gap-1.5 rounded-md border border-edge px-3 py-1.5 text-sm";

/** Buttons under a message, as the customer sees them, or the one that the customer pressed. Only links do anything. */
export function Buttons({ buttons }: { readonly buttons: WireMessage["buttons"] }) {
  if (buttons.length === 0) return null;
  const isPressed = buttons.every(({ type }) => type === "pressed");
  return (
    <ul
      class="mt-2 flex flex-wrap gap-1"
      aria-label={isPressed ? bubbleWords.value.pressed : bubbleWords.value.buttons}
    >
      {buttons.map(({ text, url }, index) => (
        <li key={index} class="min-w-0">
          {url !== undefined && /^https?:/i.test(url) ? (
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer nofollow"
              class={`${BUTTON} text-accent-text no-underline`}
            >
              {text}
              <Icon name="external" />
            </a>
          ) : (
            <span class={BUTTON}>
              {isPressed && <Icon name="check" size={12} />}
              {text}
            </span>
          )}
        </li>
      ))}
    </ul>
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
