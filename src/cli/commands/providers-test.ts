import { tryProvider } from '#app/admin/examine-provider.ts';
import { addedProviders } from '#app/providers/added-providers.ts';
import { keepAlive, system } from '#app/system.ts';
import { loadConfig } from '#config/load/load.ts';
import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { createProgressLine } from '../format/progress.ts';
import { printJson } from '../io.ts';
import { priceOf } from '../providers/describe-findings.ts';

export const command = defineCommand({
  name: 'providers test',
  summary: 'Ask a model of a provider for one token',
  about:
    'Says what it costs before it asks: about ten tokens of input and at most one of output. A built-in provider is asked ' +
    'for nothing but whether it accepts the key, as by exai keys test. Needs no daemon.',
  positionals: [{ name: 'name', need: 'required', help: 'The provider, such as deepseek' }],
  options: {
    model: { type: 'string', value: 'M', help: 'The model to ask; default: its first' },
    yes: { type: 'boolean', short: 'y', help: 'Ask without confirming' },
  },
  async run({ options, positionals }, io) {
    const name = positionals['name'] ?? '';
    const loaded = loadConfig({ env: io.env });
    const added = addedProviders(loaded.config).find(({ id }) => id === name);
    const first = added?.models[0];
    const model = options.model ?? first?.id ?? '';
    if (added) {
      const known = added.models.find(({ id }) => id === model) ?? {};
      const what = model === '' ? 'a model' : model;
      io.stderr.write(`This asks ${what} of ${added.title} for one token (${priceOf(known)}).\n`);
      if (!options.yes) {
        await confirm({
          input: process.stdin,
          output: io.stderr,
          question: 'Ask it?',
          ifDeclined: 'nothing was asked',
        });
      }
    }
    const progress = createProgressLine(io);
    progress.show({ note: `asking ${name} …` });
    const result = await keepAlive(tryProvider(loaded, name, model, system)).finally(() =>
      progress.clear(),
    );
    if (options.json) return printJson(io, { provider: name, ...result });
    io.stdout.write(`${escapeControls(result.words)}\n`);
  },
});
