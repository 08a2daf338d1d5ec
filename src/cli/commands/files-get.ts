import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { formatBytes, runWithFiles, type CallFiles } from '../files/stored-files.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';
import { outputFileError } from '../write-file.ts';

export const command = defineCommand({
  name: 'files get',
  summary: 'Write the content of a stored file to a file',
  about: '  exai files get file_… --to report.pdf',
  positionals: [{ name: 'id', need: 'required', help: 'As exai files list tells it' }],
  options: {
    to: { type: 'string', value: 'FILE', help: 'The file to write (required)' },
    force: { type: 'boolean', help: 'Overwrite the file if it exists' },
  },
  async run({ options, positionals }, io) {
    const { to } = options;
    if (to === undefined || to === '') {
      throw new CallError('validation', '`--to` is missing.', {
        field: '--to',
        fix: 'Name the file to write: exai files get file_… --to report.pdf',
      });
    }
    const file = await runWithFiles(io, async (call) => {
      const found = await call('show', { id: positionals['id'] ?? '' });
      await write(call, found.id, to, options.force ? 'overwrite' : 'keep');
      return found;
    });
    if (options.json) return printRawJson(io, { ...file, to });
    io.stdout.write(`${escapeControls(to)}: ${formatBytes(file.bytes)}\n`);
  },
});

/** Writes beside the target first, so that a broken transfer leaves the target unchanged. */
async function write(
  call: CallFiles,
  id: string,
  to: string,
  existing: 'keep' | 'overwrite',
): Promise<void> {
  const part = existing === 'keep' ? to : `${to}.part`;
  const fd = opened(part, to);
  try {
    for (let at = 0, bytes = 1; at < bytes;) {
      const piece = await call('content', { id, offset: at });
      const content = Buffer.from(piece.base64, 'base64');
      ({ bytes } = piece);
      if (content.length === 0) break;
      for (let done = 0; done < content.length;) done += writeSync(fd, content, done);
      at += content.length;
    }
    closeSync(fd);
    if (part !== to) renameSync(part, to);
  } catch (thrown) {
    rmSync(part, { force: true });
    throw thrown;
  }
}

function opened(part: string, to: string): number {
  try {
    return openSync(part, 'wx', 0o600);
  } catch (thrown) {
    throw outputFileError(part === to ? to : part, thrown) ?? thrown;
  }
}
