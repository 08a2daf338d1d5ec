import { restoreHome } from '#app/daemon/maintain.ts';
import { systemClock } from '#app/system.ts';
import { prepareHome } from '#config/home/home.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, loadConfigFor } from '../config-option.ts';
import { createRowCounter } from '../format/progress.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'restore',
  summary: 'Restore the store from a backup',
  about:
    'The daemon must be stopped. The whole file is checked before anything changes. A SQLite database that is ' +
    'replaced is kept beside the new one; a PostgreSQL database that holds data needs --replace.',
  positionals: [{ name: 'file', need: 'required', help: 'A file made by exai backup' }],
  options: {
    ...CONFIG_OPTION,
    replace: { type: 'boolean', help: 'Empty a PostgreSQL database that holds data' },
  },
  async run({ options, positionals }, io) {
    const loaded = loadConfigFor(options, io);
    prepareHome(loaded.home);
    const counter = createRowCounter(io, 'restored');
    const summary = await restoreHome(loaded, systemClock, {
      file: positionals['file'] ?? '',
      existing: options.replace ? 'replace' : 'refuse',
      onProgress: (rows) => counter.show(rows),
    });
    counter.clear();
    if (options.json) return printJson(io, summary);
    io.stdout.write(`Restored ${summary.rows} rows, saved ${summary.createdAt}.\n`);
    if (summary.auditKeys > 0) io.stdout.write('The keys of its audit are kept, too.\n');
    if (summary.replaced !== undefined) {
      io.stdout.write(`The database that was there is now ${summary.replaced}\n`);
    }
  },
});
