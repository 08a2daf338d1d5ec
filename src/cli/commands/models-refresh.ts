import { REFRESH_MODELS_METHOD, type RefreshAnswer } from '#app/admin/refresh-models.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

const TIMEOUT_MS = 120_000;

export const command = defineCommand({
  name: 'models refresh',
  summary: 'Update the model list from the providers',
  about:
    'What they say is kept, and stands above the catalogue that came with EX-AI: new models can be asked for by name, ' +
    'windows and prices are corrected, and a model that is listed no more is marked.',
  async run({ options }, io) {
    const { outcomes } = (await runWithDaemon(io, (client) =>
      client.request(REFRESH_MODELS_METHOD, {}, { timeoutMs: TIMEOUT_MS }),
    )) as RefreshAnswer;
    const failed = outcomes.find(({ is }) => is === 'failed');
    const isNothingFetched = outcomes.every(({ is }) => is === 'skipped');
    const exit = failed
      ? ERROR_POLICY[failed.errorClass ?? 'provider_error'].exit
      : isNothingFetched
        ? ERROR_POLICY.not_configured.exit
        : 0;
    if (options.json) {
      printJson(io, { outcomes });
      return exit;
    }
    const arrow = io.charset === 'utf-8' ? '→' : '->';
    const rows = outcomes.flatMap(({ provider, is, changes, because, fix }) => {
      const colour = is === 'failed' ? 'red' : is === 'skipped' ? 'dim' : 'green';
      const [first = 'nothing new', ...more] = because === undefined ? changes : [because];
      const way = is === 'skipped' && fix !== undefined ? ` ${arrow} ${fix}` : '';
      return [
        [io.paint('bold', provider), io.paint(colour, is), escapeControls(`${first}${way}`)],
        ...more.map((change) => ['', '', escapeControls(change)]),
        ...(is === 'failed' && fix !== undefined
          ? [['', '', io.paint('dim', escapeControls(`fix: ${fix}`))]]
          : []),
      ];
    });
    io.stdout.write(formatColumns(rows, '', io.width));
    if (isNothingFetched) {
      io.stdout.write('\nNo provider that lists its models is set up: exai keys add glm\n');
    }
    return exit;
  },
});
