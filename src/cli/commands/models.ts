import { CallError } from '#core/call-error.ts';
import { didYouMean } from '#core/nearest.ts';
import { oneLine } from '#core/one-line.ts';
import { PROVIDER_IDS } from '#core/provider.ts';
import { askDaemon } from '../ask-daemon.ts';
import { readCallFailure, readCallResult } from '../call-result.ts';
import { columns } from '../columns.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../io.ts';
import { modelRows, type ShownModel } from '../model-rows.ts';
import { harmless } from '../terminal-text.ts';
import { wrap } from '../wrap.ts';

interface Answer {
  readonly models: readonly ShownModel[];
  readonly hint?: string;
}

export const command = defineCommand({
  name: 'models',
  summary: 'List the models, their windows and prices, and which can be used',
  about:
    'Prices are dollars for a million tokens, in and out. The daemon is started if need be.\n' +
    '  exai models refresh   asks the providers for what they have now',
  options: {
    all: { type: 'boolean', help: 'Also those that are switched off' },
    provider: { type: 'string', value: 'P', help: 'Only of this one: kimi, glm, custom …' },
  },
  async run({ options }, io) {
    const { provider } = options;
    if (provider !== undefined) checkProvider(provider);
    const args = {
      ...(options.all && { include_retired: true }),
      ...(provider !== undefined && { provider }),
    };
    const result = await askDaemon(
      io,
      (client) => client.request('tools/call', { name: 'listmodels', arguments: args }),
      { as: 'bearer' },
    ).then(readCallResult, (thrown: unknown) => readCallFailure(thrown, 'listmodels'));
    const { content } = result.envelope as { content?: Partial<Answer> };
    if (result.exit !== 0 || !content?.models) {
      if (options.json) printJson(io, result.envelope);
      else io.stderr.write(`${result.text}\n`);
      return result.exit;
    }
    if (options.json) {
      printJson(io, content);
      return 0;
    }
    const { models, hint } = content;
    if (models.length > 0) io.stdout.write(columns(modelRows(models, io), '', io.width));
    if (models.some(({ usable, unlisted_since: since }) => usable && since !== undefined)) {
      io.stdout.write(`\n${UNLISTED}\n`);
    }
    if (hint !== undefined) io.stdout.write(`\n${wrap(`None can be used: ${harmless(hint)}`)}\n`);
    return 0;
  },
});

const UNLISTED = 'Unlisted: not in the list of its provider any more; it may be switched off.';

function checkProvider(name: string): void {
  if (PROVIDER_IDS.some((id) => id === name)) return;
  const near = didYouMean(name, PROVIDER_IDS) || '.';
  throw new CallError(
    'bad_request',
    `--provider names no provider: "${oneLine(name, 40)}"${near}`,
    {
      field: '--provider',
      fix: `Use one of ${PROVIDER_IDS.join(', ')}.`,
    },
  );
}
