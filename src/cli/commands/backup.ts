import { backUpHome } from '#app/daemon/maintain.ts';
import { systemClock } from '#app/system.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, loadConfigFor } from '../config-option.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { createRowCounter } from '../format/progress.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'backup',
  summary: 'Back up the store to one file',
  about:
    'Works beside a running daemon. With SQLite the file is a copy by the engine, which is fast; with --portable, or a name that ends ' +
    'with .gz, it is in a smaller format that takes longer and has a digest of its content. With PostgreSQL it is always portable. Each restores into either store. Without the keys of the audit, a restore on ' +
    'another machine can check the restored audit by its links alone; with them, anyone who has the file can forge the audit log.',
  positionals: [
    {
      name: 'file',
      need: 'optional',
      help: 'Where to; by default a dated file under EXAI_HOME/backups',
    },
  ],
  options: {
    ...CONFIG_OPTION,
    portable: { type: 'boolean', help: 'The portable format, as with a name that ends with .gz' },
    'include-audit-key': {
      type: 'boolean',
      help: 'Also the keys that prove the audit',
    },
  },
  async run({ options, positionals }, io) {
    const counter = createRowCounter(io, 'saved');
    const { file } = positionals;
    const summary = await backUpHome(loadConfigFor(options, io), systemClock, {
      ...(file !== undefined && { file }),
      auditKeys: options['include-audit-key'] ? 'include' : 'leave_out',
      ...(options.portable && { format: 'portable' as const }),
      onProgress: (progress) =>
        'rows' in progress ? counter.show(progress.rows) : counter.showBytes(progress),
    });
    counter.clear();
    if (options.json) return printJson(io, summary);
    const shown = escapeControls(summary.file);
    io.stdout.write(`Saved ${summary.rows} rows to ${shown}\n`);
    io.stdout.write(`Bring them back with: exai restore ${shown}\n`);
  },
});
