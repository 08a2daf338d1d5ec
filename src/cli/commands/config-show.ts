import { describeOrigin } from '#config/load/origin.ts';
import { showConfig } from '#config/load/show.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, loadConfigFor } from '../config-option.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'config show',
  summary: 'Show every setting, secrets masked',
  options: {
    origin: { type: 'boolean', help: 'Say where each value came from' },
    changed: { type: 'boolean', help: 'Only settings that are set, not those with their default' },
    ...CONFIG_OPTION,
  },
  async run({ options }, io) {
    const loaded = loadConfigFor(options, io);
    const rows = showConfig(loaded).filter(
      ({ origin }) => !options.changed || origin.kind !== 'default',
    );
    if (options.json) {
      const shown = rows.map(({ path, value, origin }) =>
        options.origin ? { path, value, origin } : { path, value },
      );
      return printJson(io, {
        home: loaded.home.root,
        settings: shown,
        notices: loaded.notices.map(baseRenderer.notice),
      });
    }
    for (const each of loaded.notices) io.stderr.write(`exai: ${baseRenderer.notice(each)}\n`);
    io.stdout.write(
      formatColumns(
        rows.map(({ path, value, origin }) => [
          io.paint('bold', path),
          JSON.stringify(value),
          ...(options.origin ? [io.paint('dim', describeOrigin(origin))] : []),
        ]),
        '',
      ),
    );
  },
});
