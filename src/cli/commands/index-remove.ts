import { isAbsolute, resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { runWithIndex } from '../files/file-index.ts';
import { describeFileCount } from '../files/stored-files.ts';
import { printRawJson } from '../io.ts';

export const command = defineCommand({
  name: 'index remove',
  summary: 'Remove files from the index; the files themselves stay',
  about:
    'Names a file by its path or id, or all files below a folder by the path of the folder.\n' +
    '  exai index remove ~/contracts',
  positionals: [
    { name: 'path', need: 'required', help: 'A path, a folder, or an id of index list' },
  ],
  rest: { name: 'paths', help: 'More of them' },
  async run({ options, positionals, rest = [] }, io) {
    const given = [positionals['path'] ?? '', ...rest];
    // An id and the URI of a stored file stay as they are.
    const paths = given.flatMap((name) =>
      isAbsolute(name) || /^(?:\d+$|exai:|sha256:)/.test(name) ? [name] : [name, resolve(name)],
    );
    const { files } = await runWithIndex(io, (call) => call('remove', { paths }));
    if (options.json) return printRawJson(io, { files });
    io.stdout.write(`Removed from the index: ${describeFileCount(files.length)}.\n`);
  },
});
