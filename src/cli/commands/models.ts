import { CallError } from '#core/errors/call-error.ts';
import { extractive, isExtractive } from '#core/providers/extractive.ts';
import { PROVIDER_IDS } from '#core/llm/provider.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import { callFailureResult, readCallResult } from '../call-result.ts';
import { addedProviderNames } from '../added-provider-names.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns, wrapText } from '../format/layout.ts';
import { formatModelRows, type ShownModel } from '../format/model-rows.ts';
import { printJson } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

interface Answer {
  readonly models: readonly ShownModel[];
  readonly hint?: string;
}

export const command = defineCommand({
  name: 'models',
  summary: 'List models with context windows, prices and availability',
  about:
    'Prices are dollars for a million tokens, in and out. Starts the daemon if needed.\n' +
    '  exai models refresh   asks the providers for what they have now',
  options: {
    all: { type: 'boolean', help: 'Also those that are switched off' },
    provider: { type: 'string', value: 'P', help: 'Only of this one: kimi, glm, custom …' },
  },
  async run({ options }, io) {
    const provider = isExtractive(options.provider) ? extractive.id : options.provider;
    if (provider !== undefined) checkProvider(provider, addedProviderNames(io.env));
    const args = {
      ...(options.all && { include_retired: true }),
      ...(provider !== undefined && { provider }),
    };
    const result = await runWithDaemon(
      io,
      (client) => client.request('tools/call', { name: 'listmodels', arguments: args }),
      { as: 'bearer' },
    ).then(readCallResult, (thrown: unknown) => callFailureResult(thrown, 'listmodels'));
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
    if (models.length > 0)
      io.stdout.write(formatColumns(formatModelRows(models, io), '', io.width));
    if (models.some(({ usable, unlisted_since: since }) => usable && since !== undefined)) {
      io.stdout.write(`\n${UNLISTED}\n`);
    }
    if (hint !== undefined)
      io.stdout.write(`\n${wrapText(`None can be used: ${escapeControls(hint)}`)}\n`);
    return 0;
  },
});

const UNLISTED = 'Unlisted: not in the list of its provider any more; it may be switched off.';

function checkProvider(name: string, added: readonly string[]): void {
  const ids: readonly string[] = [...PROVIDER_IDS, ...added];
  if (ids.includes(name)) return;
  const near = didYouMean(name, ids) || '.';
  throw new CallError(
    'bad_request',
    `--provider names no provider: "${oneLine(name, 40)}"${near}`,
    {
      field: '--provider',
      fix: `Use one of ${ids.join(', ')}.`,
    },
  );
}
