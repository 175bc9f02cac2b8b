import { useEffect, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field } from "../../kit/field.tsx";
import { List, Row } from "../../kit/list.tsx";
import { Notice } from "../../kit/notice.tsx";
import type { Template } from "../model.ts";
import { problemOf } from "../problem.ts";
import { ask } from "../session.ts";
import { composerWords, dialogWords, words } from "../texts/texts.ts";
import { send } from "./outbox.ts";
import { filled } from "./template-text.ts";

interface TemplateDialogProps {
  readonly place: string;
  readonly chatType: string;
  readonly onClose: () => void;
}

/** Approved templates of the channel: find one, fill in its values, preview and send it. */
export function TemplateDialog({ place, chatType, onClose }: TemplateDialogProps) {
  const [templates, setTemplates] = useState<readonly Template[] | null>(null);
  const [chosen, choose] = useState<Template | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    ask("listChatTemplates", { path: { id: place } }).then(setTemplates, (error: unknown) =>
      setProblem(problemOf(error)),
    );
  }, [place]);
  const submit = (template: Template, values: string[]) => {
    const preview = filled(template.body, values);
    send({ place, to: null, chatType, template: { id: template.id, values, preview }, quoted: null });
    onClose();
  };
  return (
    <Dialog title={composerWords.value.chooseTemplate} close={words.value.close} open onClose={onClose}>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {chosen === null ? (
        <Choice templates={templates} onChoose={choose} />
      ) : (
        <Filling template={chosen} onBack={() => choose(null)} onSend={(values) => submit(chosen, values)} />
      )}
    </Dialog>
  );
}

interface ChoiceProps {
  readonly templates: readonly Template[] | null;
  readonly onChoose: (template: Template) => void;
}

function Choice({ templates, onChoose }: ChoiceProps) {
  const [asked, setAsked] = useState("");
  const words = dialogWords.value;
  if (templates === null) return <div class="appears-late h-24 rounded-lg bg-pane" aria-busy="true" />;
  if (templates.length === 0) return <p class="text-dim">{words.noTemplates}</p>;
  const fits = ({ name, body }: Template) =>
    `${name} ${body}`.toLowerCase().includes(asked.trim().toLowerCase());
  return (
    <div class="grid gap-3">
      <Field name="template" label={words.findTemplate} value={asked} required={false} onInput={setAsked} />
      <List label={composerWords.value.templates}>
        {templates.filter(fits).map((template) => (
          <Row
            key={template.id}
            title={`${template.name} · ${template.language}`}
            detail={template.body}
            onPress={() => onChoose(template)}
          />
        ))}
      </List>
    </div>
  );
}

interface FillingProps {
  readonly template: Template;
  readonly onBack: () => void;
  readonly onSend: (values: string[]) => void;
}

function Filling({ template, onBack, onSend }: FillingProps) {
  const [values, setValues] = useState<readonly string[]>(() =>
    Array.from({ length: template.variables }, () => ""),
  );
  const words = dialogWords.value;
  const isFull = values.every((value) => value.trim() !== "");
  return (
    <form
      class="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isFull) onSend(values.map((value) => value.trim()));
      }}
    >
      {values.map((value, index) => (
        <Field
          key={index}
          name={`value-${index}`}
          label={words.variable(index + 1)}
          value={value}
          onInput={(next) => setValues(values.with(index, next))}
        />
      ))}
      <section aria-label={words.preview} class="shaped grid gap-1 rounded-lg bg-out px-3 py-2">
        {template.header?.text && <p class="font-semibold">{filled(template.header.text, values)}</p>}
        <p class="whitespace-pre-wrap">{filled(template.body, values)}</p>
        {template.footer !== null && <p class="text-sm text-dim">{template.footer}</p>}
        {template.buttons.length > 0 && (
          <ul class="flex flex-wrap gap-1">
            {template.buttons.map(({ text }) => (
              <li key={text} class="rounded-md border border-edge px-3 py-1 text-sm">
                {text}
              </li>
            ))}
          </ul>
        )}
      </section>
      <div class="flex flex-wrap justify-between gap-2">
        <Button onPress={onBack}>{words.otherTemplate}</Button>
        <Button look="primary" type="submit" disabled={!isFull}>
          {words.sendTemplate}
        </Button>
      </div>
    </form>
  );
}
