import { REFRESH_MODELS_METHOD, type RefreshAnswer } from '#app/refresh-models.ts';
import { askDaemon } from '../ask-daemon.ts';
import { columns } from '../columns.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../io.ts';
import { harmless } from '../terminal-text.ts';
import { ERROR_POLICY } from '#core/error-class.ts';

const TIMEOUT_MS = 120_000;

export const command = defineCommand({
  name: 'models refresh',
  summary: 'Ask the providers which models they have now',
  about:
    'What they say is kept, and stands above the catalogue that came with EX-AI: new models can be asked for by name, ' +
    'windows and prices are corrected, and a model that is listed no more is marked.',
  async run({ options }, io) {
    const { outcomes } = (await askDaemon(io, (client) =>
      client.request(REFRESH_MODELS_METHOD, {}, { timeoutMs: TIMEOUT_MS }),
    )) as RefreshAnswer;
    const failed = outcomes.find(({ is }) => is === 'failed');
    const isNobodyAsked = outcomes.every(({ is }) => is === 'skipped');
    const exit = failed
      ? ERROR_POLICY[failed.errorClass ?? 'provider_error'].exit
      : isNobodyAsked
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
        [io.paint('bold', provider), io.paint(colour, is), harmless(`${first}${way}`)],
        ...more.map((change) => ['', '', harmless(change)]),
        ...(is === 'failed' && fix !== undefined
          ? [['', '', io.paint('dim', harmless(`fix: ${fix}`))]]
          : []),
      ];
    });
    io.stdout.write(columns(rows, '', io.width));
    if (isNobodyAsked) {
      io.stdout.write(
        '\nNo provider is set up, so none was asked: exai keys add kimi, or exai keys add glm\n',
      );
    }
    return exit;
  },
});
