import { useState } from "preact/hooks";
import { Avatar } from "../kit/avatar.tsx";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Field } from "../kit/field.tsx";
import { Icon } from "../kit/icon.tsx";
import { List, Row } from "../kit/list.tsx";
import { Menu } from "../kit/menu.tsx";
import { Badge, Notice, type Tone } from "../kit/notice.tsx";
import { OfflineBar, online } from "../kit/offline.tsx";
import { startPage } from "../kit/start.tsx";
import { Toasts, toast } from "../kit/toast.tsx";

const TONES: readonly Tone[] = ["neutral", "ok", "wait", "bad"];

/** Every component in its states, for tests and page authors. */
function Gallery() {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  return (
    <>
      <OfflineBar />
      <main class="mx-auto grid max-w-[480px] gap-5 p-4">
        <h1 class="text-xl font-semibold">Components</h1>
        <div class="flex flex-wrap gap-2">
          <Button look="primary">Primary</Button>
          <Button>Plain</Button>
          <Button look="quiet">Quiet</Button>
          <Button look="danger">Danger</Button>
          <Button look="primary" busy>
            Busy
          </Button>
          <Menu
            label="More"
            items={[
              { label: "Rename", onChoose: () => toast("Renamed") },
              {
                label: "Go offline",
                onChoose: () => {
                  online.value = false;
                },
              },
            ]}
          >
            <Icon name="more" />
          </Menu>
        </div>
        <Field label="Name" name="name" value={text} onInput={setText} hint="As people know it" />
        <Field label="Token" name="token" value="secret" onInput={() => undefined} secret required={false} />
        <Field label="Phone" name="phone" value="12" onInput={() => undefined} error="Five digits at least" />
        {TONES.map((tone) => (
          <Notice key={tone} tone={tone}>
            A notice that is {tone}
          </Notice>
        ))}
        <p class="flex gap-2">
          {TONES.map((tone) => (
            <Badge key={tone} tone={tone}>
              {tone}
            </Badge>
          ))}
        </p>
        <List label="People">
          <Row
            title="Ann Karpova"
            detail="Do you deliver?"
            start={<Avatar id="1" name="Ann Karpova" />}
            current
            onPress={() => toast("Ann")}
          />
          <Row
            title="Boris"
            detail="Thanks"
            start={<Avatar id="2" name="Boris" />}
            onPress={() => toast("Boris")}
          />
        </List>
        <Button onPress={() => setOpen(true)}>Open the dialog</Button>
        <Dialog title="A dialog" open={open} onClose={() => setOpen(false)}>
          <p class="mb-4">The focus stays in here.</p>
          <Button look="primary" onPress={() => setOpen(false)}>
            Close
          </Button>
        </Dialog>
      </main>
      <Toasts />
    </>
  );
}

startPage(<Gallery />);
