import { useState } from "preact/hooks";
import type { Kind, Look, Outgoing } from "../../sandbox/phone/shape.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Field } from "../kit/field.tsx";
import { looks, said, words } from "./texts/texts.ts";
import { useWork } from "./use-work.ts";

interface Chosen {
  readonly kind: Kind;
  readonly file?: File;
}

interface SheetProps {
  readonly chosen: Chosen | null;
  readonly onClose: () => void;
  readonly onSend: (given: Outgoing) => Promise<void>;
}

const ACCEPT: Partial<Readonly<Record<Look, string>>> = {
  image: "image/*",
  video: "video/*",
  round: "video/*",
  audio: "audio/*",
  voice: "audio/*",
  file: "*/*",
  sticker: "image/*",
};

const EMPTY = {
  text: "",
  name: "Bob",
  phone: "79990000002",
  latitude: "55.7539",
  longitude: "37.6208",
  title: "",
  question: "Shall we?",
  options: "Yes\nNo",
};

/** The fields of a message kind other than text. */
export function Sheet({ chosen, onClose, onSend }: SheetProps) {
  return (
    <Dialog title={chosen === null ? "" : titleOf(chosen.kind)} open={chosen !== null} onClose={onClose}>
      {chosen !== null && <SheetForm chosen={chosen} onClose={onClose} onSend={onSend} />}
    </Dialog>
  );
}

function SheetForm({ chosen, onClose, onSend }: SheetProps & { readonly chosen: Chosen }) {
  const [values, setValues] = useState(EMPTY);
  const [file, setFile] = useState(chosen.file ?? null);
  const work = useWork();
  const { kind } = chosen;
  const submit = async (): Promise<void> => {
    await onSend({ ...givenOf(kind, values), ...(file !== null && { file: await read(file) }) });
    onClose();
  };
  const field = (name: keyof typeof EMPTY, label: string, required = true) => (
    <Field
      label={label}
      name={name}
      value={values[name]}
      required={required}
      onInput={(value) => setValues((now) => ({ ...now, [name]: value }))}
    />
  );
  const { caption, latitude, longitude, placeTitle, name, phoneNumber, question } = words.value;
  return (
    <form
      class="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        work.run(submit);
      }}
    >
      {ACCEPT[kind.look] !== undefined && (
        <FileField accept={ACCEPT[kind.look] ?? ""} file={file} onFile={setFile} />
      )}
      {kind.caption === true && field("text", caption, false)}
      {kind.look === "place" && (
        <>
          {field("latitude", latitude)}
          {field("longitude", longitude)}
          {field("title", placeTitle, false)}
        </>
      )}
      {kind.look === "contact" && (
        <>
          {field("name", name)}
          {field("phone", phoneNumber)}
        </>
      )}
      {kind.look === "poll" && (
        <>
          {field("question", question)}
          <Options value={values.options} onInput={(options) => setValues((now) => ({ ...now, options }))} />
        </>
      )}
      <Button look="primary" type="submit" busy={work.busy}>
        {words.value.send}
      </Button>
    </form>
  );
}

function titleOf(kind: Kind): string {
  return kind.title === undefined ? looks.value[kind.look] : said(kind.title);
}

function givenOf(kind: Kind, values: typeof EMPTY): Outgoing {
  const { text, name, phone, title, question } = values;
  return {
    kind: kind.kind,
    ...(text !== "" && { text }),
    ...(kind.look === "place" && {
      latitude: Number(values.latitude),
      longitude: Number(values.longitude),
      ...(title !== "" && { title }),
    }),
    ...(kind.look === "contact" && { name, phone }),
    ...(kind.look === "poll" && {
      question,
      options: values.options.split("\n").filter((line) => line.trim() !== ""),
    }),
  };
}

interface FileFieldProps {
  readonly accept: string;
  readonly file: File | null;
  readonly onFile: (file: File | null) => void;
}

function FileField({ accept, file, onFile }: FileFieldProps) {
  return (
    <label class="grid gap-1">
      <span class="font-semibold">{words.value.file}</span>
      <span class="text-sm text-dim">{file === null ? words.value.fileHint : file.name}</span>
      <input
        type="file"
        accept={accept}
        onChange={(event) => onFile(event.currentTarget.files?.[0] ?? null)}
      />
    </label>
  );
}

function Options({ value, onInput }: { readonly value: string; readonly onInput: (value: string) => void }) {
  return (
    <label class="grid gap-1">
      <span class="font-semibold">{words.value.options}</span>
      <textarea
        rows={3}
        class="rounded-md border border-edge bg-bg px-3 py-2"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

async function read(file: File): Promise<NonNullable<Outgoing["file"]>> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(file);
  });
  return {
    base64: url.slice(url.indexOf(",") + 1),
    name: file.name,
    mime_type: file.type || "application/octet-stream",
  };
}
