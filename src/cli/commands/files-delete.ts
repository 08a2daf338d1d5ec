import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { describeCopies, formatBytes, runWithFiles } from '../files/stored-files.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';

export const command = defineCommand({
  name: 'files delete',
  summary: 'Delete a stored file, and its copies at providers',
  about: 'Asks for confirmation; without a terminal, --yes is required.',
  positionals: [{ name: 'id', need: 'required', help: 'As exai files list tells it' }],
  options: { yes: { type: 'boolean', short: 'y', help: 'Without asking' } },
  async run({ options, positionals }, io) {
    const id = positionals['id'] ?? '';
    const answer = await runWithFiles(io, async (call) => {
      if (!options.yes) {
        const { name, bytes } = await call('show', { id });
        await confirm({
          input: process.stdin,
          output: io.stderr,
          question: `Delete "${escapeControls(name)}" (${formatBytes(bytes)}) for good?`,
          ifDeclined: 'nothing was deleted',
        });
      }
      return call('delete', { id });
    });
    if (options.json) return printRawJson(io, answer);
    const { file, copies } = answer;
    io.stdout.write(`${escapeControls(file.name)} is deleted.\n${describeCopies(copies)}`);
  },
});
