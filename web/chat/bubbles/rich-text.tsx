import type { ComponentChildren } from "preact";
import { withoutOverrides } from "../../kit/bidi.ts";
import { LongText } from "../../kit/long-text.tsx";
import { type TextPart, textParts } from "../text-parts.ts";
import { bubbleWords } from "../texts/texts.ts";

interface RichTextProps {
  readonly text: string;
  readonly chatType: string;
  /** Identifies the text: how much of it is shown is kept while it is out of view. */
  readonly id: string;
  /** Stands in its last line if there is room, else below it. */
  readonly foot?: ComponentChildren;
}

/** A message's text with its links and formatting, as text nodes only; a long one in pieces. */
export function RichText({ text, chatType, id, foot }: RichTextProps) {
  return (
    <span class="flow-root whitespace-pre-wrap [unicode-bidi:plaintext]" dir="auto">
      <span>
        <LongText key={id} text={withoutOverrides(text)} id={id}>
          {(piece) => <Parts parts={textParts(piece, chatType)} />}
        </LongText>
      </span>
      {foot}
    </span>
  );
}

function Parts({ parts }: { readonly parts: readonly TextPart[] }) {
  return parts.map((part, index) => <Part key={index} part={part} />);
}

const ELEMENTS = { bold: "strong", italic: "em", strike: "s", code: "code" } as const;

function Part({ part }: { readonly part: TextPart }) {
  if (typeof part === "string") return <>{part}</>;
  if (part.kind === "link") return <OutLink href={part.href}>{part.text}</OutLink>;
  const Element = ELEMENTS[part.kind];
  return (
    <Element class={part.kind === "code" ? "font-mono text-sm" : ""}>
      <Parts parts={part.parts} />
    </Element>
  );
}

/** A link to another site, which gets no referrer. */
export function OutLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={bubbleWords.value.opensNew}>
      {children}
    </a>
  );
}
