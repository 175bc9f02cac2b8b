import { useEffect, useState } from "preact/hooks";
import type { Device, PhoneFacts, WaitingCode } from "../../sandbox/phone/shape.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Field } from "../kit/field.tsx";
import { inOrder } from "../kit/in-order.ts";
import { toast } from "../kit/toast.tsx";
import { addressOf, ask, listOf } from "./api.ts";
import { loadPeople, people } from "./state.ts";
import { words } from "./texts/texts.ts";
import { useWork } from "./use-work.ts";

interface LinkingProps {
  readonly open: boolean;
  readonly facts: PhoneFacts;
  readonly person: string;
  readonly onClose: () => void;
}

const LOOK_AGAIN_MS = 1_500;

/** The phone's linked devices: scanning, entering codes, setting the password, and unlinking. */
export function Linking({ open, facts, person, onClose }: LinkingProps) {
  const [codes, setCodes] = useState<readonly WaitingCode[]>([]);
  const at = (what: string): string => addressOf(facts.name, "people", person, what);
  useEffect(() => {
    if (!open) return;
    let isOver = false;
    const order = inOrder();
    const look = async (): Promise<void> => {
      const mayTake = order();
      const found = await listOf<WaitingCode>(addressOf(facts.name, "codes"));
      if (!isOver && mayTake()) setCodes(found);
      await loadPeople();
    };
    void look().catch(() => undefined);
    const timer = setInterval(() => void look().catch(() => undefined), LOOK_AGAIN_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [open, facts.name]);
  const known = people.value?.find(({ id }) => id === person);
  return (
    <Dialog title={words.value.linkTitle} open={open} onClose={onClose}>
      <div class="grid gap-5">
        <Devices
          devices={known?.devices ?? []}
          addressOf={(id) => addressOf(facts.name, "people", person, "devices", id)}
        />
        <Codes codes={codes} address={at("scans")} />
        {facts.link.includes("code") && <PairingCode address={at("codes")} />}
        {facts.link.includes("password") && (
          <Password address={at("passwords")} isSet={known?.hasPassword === true} />
        )}
        <Button onPress={onClose}>{words.value.close}</Button>
      </div>
    </Dialog>
  );
}

function Devices(props: { readonly devices: readonly Device[]; readonly addressOf: (id: string) => string }) {
  const work = useWork();
  const { noDevices, deviceOnline, deviceOffline, unlink } = words.value;
  const remove = async (id: string): Promise<void> => {
    await ask("DELETE", props.addressOf(id));
    await loadPeople();
  };
  if (props.devices.length === 0) return <p class="text-dim">{noDevices}</p>;
  return (
    <ul class="grid gap-2">
      {props.devices.map(({ id, name, online }) => (
        <li key={id} class="flex items-center gap-3">
          <span class="grid min-w-0 flex-1">
            <span class="truncate font-semibold">{name}</span>
            <span class="text-sm text-dim">{online ? deviceOnline : deviceOffline}</span>
          </span>
          <Button busy={work.busy} onPress={() => work.run(() => remove(id))}>
            {unlink}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Codes({ codes, address }: { readonly codes: readonly WaitingCode[]; readonly address: string }) {
  const [text, setText] = useState("");
  const work = useWork();
  const { waiting, noCodes, scan, scanOther, scanHint, scanText, scanned } = words.value;
  const send = async (body: object): Promise<void> => {
    await ask("POST", address, body);
    setText((now) => (now === text ? "" : now));
    toast(scanned);
    await loadPeople();
  };
  return (
    <section class="grid gap-2">
      <h3 class="font-semibold">{waiting}</h3>
      {codes.length === 0 && <p class="text-sm text-dim">{noCodes}</p>}
      {codes.map(({ id, label }) => (
        <Button key={id} look="primary" busy={work.busy} onPress={() => work.run(() => send({ code: id }))}>
          {scan(label)}
        </Button>
      ))}
      <div
        onPaste={(event) => {
          const file = event.clipboardData?.files[0];
          if (file === undefined) return;
          event.preventDefault();
          work.run(async () => send({ qr: await pngOf(file) }));
        }}
      >
        <Field label={scanOther} hint={scanHint} name="qr" value={text} required={false} onInput={setText} />
      </div>
      <Button busy={work.busy} disabled={text === ""} onPress={() => work.run(() => send({ qr: text }))}>
        {scanText}
      </Button>
    </section>
  );
}

function pngOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(file);
  });
}

function PairingCode({ address }: { readonly address: string }) {
  const [code, setCode] = useState("");
  const work = useWork();
  const { pairing, enterCode, linked } = words.value;
  const send = async (): Promise<void> => {
    await ask("POST", address, { code });
    setCode((now) => (now === code ? "" : now));
    toast(linked);
    await loadPeople();
  };
  return (
    <form
      class="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        work.run(send);
      }}
    >
      <Field label={pairing} name="code" value={code} onInput={setCode} />
      <Button type="submit" busy={work.busy}>
        {enterCode}
      </Button>
    </form>
  );
}

function Password({ address, isSet }: { readonly address: string; readonly isSet: boolean }) {
  const [password, setPassword] = useState("");
  const work = useWork();
  const texts = words.value;
  const send = async (body: object): Promise<void> => {
    await ask("POST", address, body);
    setPassword((now) => (now === password ? "" : now));
    await loadPeople();
  };
  return (
    <form
      class="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        work.run(() => send({ password }));
      }}
    >
      <Field
        label={texts.password}
        hint={isSet ? texts.hasPassword : texts.passwordHint}
        name="password"
        value={password}
        secret
        onInput={setPassword}
      />
      <div class="flex gap-2">
        <Button type="submit" busy={work.busy}>
          {texts.setPassword}
        </Button>
        {isSet && (
          <Button busy={work.busy} onPress={() => work.run(() => send({}))}>
            {texts.noPassword}
          </Button>
        )}
      </div>
    </form>
  );
}
