import { describeOrigin } from '#config/load/origin.ts';
import { showConfig } from '#config/load/show.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, loadConfigFor } from '../config-option.ts';
import { SETTING_PATHS, settingsUnder } from '../find-setting.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'config get',
  summary: 'Print the value of a setting, or of all settings of a section',
  about:
    'Prints the value that counts here: of the environment, .env, config.json or the default; secrets are masked. ' +
    'Texts are printed as they are, everything else as JSON.',
  positionals: [
    {
      name: 'setting',
      need: 'required',
      help: 'Such as limits.global, or limits',
      values: SETTING_PATHS,
    },
  ],
  options: {
    origin: { type: 'boolean', help: 'Say where the value came from' },
    ...CONFIG_OPTION,
  },
  async run({ options, positionals }, io) {
    const rows = showConfig(loadConfigFor(options, io));
    const paths = settingsUnder(
      positionals['setting'] ?? '',
      rows.map(({ path }) => path),
    );
    const found = rows.filter(({ path }) => paths.includes(path));
    const [first, ...others] = found;
    if (options.json) {
      return printJson(io, others.length === 0 && first ? first : { settings: found });
    }
    if (first && others.length === 0 && !options.origin) {
      io.stdout.write(`${textOf(first.value)}\n`);
      return;
    }
    io.stdout.write(
      formatColumns(
        found.map(({ path, value, origin }) => [
          io.paint('bold', path),
          JSON.stringify(value),
          ...(options.origin ? [io.paint('dim', describeOrigin(origin))] : []),
        ]),
        '',
      ),
    );
  },
});

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
