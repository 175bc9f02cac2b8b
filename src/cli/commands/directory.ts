import { listCells } from "../../core/directory/cells.ts";
import { createDirectory, directoryVersion, NoDirectory } from "../../core/directory/schema.ts";
import { messageOf } from "../../platform/message-of.ts";
import { type Command, CommandFailed } from "../command.ts";
import { titledTable } from "../table.ts";
import { commandLog, readCommandConfig } from "../with-database.ts";
import { withDirectoryDatabase } from "../with-directory.ts";

export const directoryCreate: Command = {
  name: "directory create",
  summary: "Make the empty database of DIRECTORY_URL the directory that all cells share",
  args: [],
  options: {},
  async run({ print }) {
    const version = await withDirectoryDatabase(readCommandConfig(), commandLog(), (db) =>
      createDirectory(db).catch((error: unknown) => {
        throw new CommandFailed(messageOf(error));
      }),
    );
    print({ version }, () => `The directory is there (version ${version})`);
  },
};

export const directoryShow: Command = {
  name: "directory show",
  summary: "List the cells that the directory knows, with their accounts and links",
  args: [],
  options: {},
  async run({ print }) {
    const cells = await withDirectoryDatabase(readCommandConfig(), commandLog(), async (db) => {
      if ((await directoryVersion(db)) === null) throw new CommandFailed(new NoDirectory().message);
      return listCells(db);
    });
    print(cells, () =>
      titledTable(
        ["cell", "last seen", "accounts", "links", "address"],
        cells.map(({ name, seenAt, accounts, links, address }) => [
          name,
          seenAt.toISOString(),
          String(accounts),
          String(links),
          address ?? "-",
        ]),
        "No cell has used the directory yet: start one with DIRECTORY_URL and CELL",
      ),
    );
  },
};
