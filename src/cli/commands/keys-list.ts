import { listKeys } from '#config/secrets/keys.ts';
import { loadConfig } from '#config/load/load.ts';
import { describeOrigin } from '#config/load/origin.ts';
import { defineCommand } from '../command.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'keys list',
  summary: 'List the keys that are set, and their sources',
  async run({ options }, io) {
    const keys = listKeys(loadConfig({ env: io.env }));
    if (options.json) return printJson(io, { keys });
    io.stdout.write(
      formatColumns(
        keys.map(({ name, title, set, masked, origin, where }) => [
          io.paint('bold', name),
          title,
          set ? io.paint('green', masked ?? 'set') : io.paint('dim', 'not set'),
          io.paint('dim', origin ? `from ${describeOrigin(origin)}` : `get one from ${where}`),
        ]),
        '',
      ),
    );
    if (!keys.some(({ set }) => set)) io.stdout.write('\nStore one with: exai keys add <name>\n');
  },
});
