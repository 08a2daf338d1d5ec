import { BUILD } from '#app/build-info.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'version',
  summary: 'Show the versions of EX-AI, Node.js and the store',
  home: 'unused',
  async run({ options }, io) {
    if (options.json) return printJson(io, BUILD);
    const { version, node, platform, schema } = BUILD;
    io.stdout.write(`EX-AI ${version}, Node.js ${node}, ${platform}, store schema ${schema}\n`);
  },
});
