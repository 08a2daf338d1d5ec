import { defineCommand } from '../command.ts';
import { formatColumns } from '../format/layout.ts';
import { printRawJson } from '../io.ts';
import { describeDownload } from '../servers/new-server.ts';
import { SERVER_PRESETS, type ServerPreset } from '../servers/presets.ts';

export const command = defineCommand({
  name: 'servers presets',
  summary: 'List the MCP servers that exai servers add knows by name',
  async run({ options }, io) {
    if (options.json) return printRawJson(io, { presets: SERVER_PRESETS });
    const rows = SERVER_PRESETS.map((preset) => [
      io.paint('bold', preset.id),
      preset.about,
      io.paint('dim', needsOf(preset)),
    ]);
    io.stdout.write(formatColumns(rows, '', io.width));
    io.stdout.write('\nAdd one with: exai servers add NAME\n');
  },
});

function needsOf(preset: ServerPreset): string {
  const { variables = [], arguments: words, programs = [], command } = preset;
  const needs = [
    ...variables.filter(({ need }) => need === 'required').map(({ name }) => name),
    ...(words ? [words.count === 'some' ? `${words.name}…` : words.name] : []),
    ...(command === undefined ? [] : [command]),
    ...(preset.needsLogin ? ['a login'] : []),
    ...programs,
  ];
  const download = describeDownload({ ...preset }) === undefined ? '' : '; downloads code';
  return needs.length === 0 ? '' : `needs ${needs.join(', ')}${download}`;
}
