import { backUpHome, salvageHome } from '#app/daemon/maintain.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { systemClock } from '#app/system.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, loadConfigFor } from '../config-option.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { createRowCounter } from '../format/progress.ts';
import { printJson, type Io } from '../io.ts';

interface Salvage {
  readonly json: boolean;
  readonly io: Io;
  readonly counter: ReturnType<typeof createRowCounter>;
}

async function salvage(
  loaded: LoadedConfig,
  file: string | undefined,
  { json, io, counter }: Salvage,
): Promise<void> {
  const summary = await salvageHome(loaded, systemClock, {
    ...(file !== undefined && { file }),
    onProgress: (progress) => 'rows' in progress && counter.show(progress.rows),
  });
  counter.clear();
  if (json) return printJson(io, summary);
  const shown = escapeControls(summary.file);
  io.stdout.write(`Saved ${summary.rows} rows to ${shown}\n`);
  for (const { table, dropped } of summary.damaged) {
    const also = dropped === 0 ? '' : `; ${dropped} rows that refer to lost ones are left out`;
    io.stdout.write(`Not all of ${table} can be read${also}.\n`);
  }
  if (summary.damaged.length === 0)
    io.stdout.write('Every row could be read: exai backup saves the same, and is checked.\n');
  io.stdout.write(
    `Use them instead of the damaged database: exai stop, then exai restore ${shown}\n`,
  );
}

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
    salvage: {
      type: 'boolean',
      help: 'Save what a damaged SQLite database still has, as --portable',
    },
    'include-audit-key': {
      type: 'boolean',
      help: 'Also the keys that prove the audit',
    },
  },
  async run({ options, positionals }, io) {
    const counter = createRowCounter(io, 'saved');
    const { file } = positionals;
    if (options.salvage)
      return salvage(loadConfigFor(options, io), file, {
        json: options.json === true,
        io,
        counter,
      });
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
