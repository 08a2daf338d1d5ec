import { windowWords } from '#core/window-words.ts';
import { askDaemon } from '../ask-daemon.ts';
import { harmless, readCallFailure, readCallResult } from '../call-result.ts';
import { columns } from '../columns.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../io.ts';

/** A model as `listmodels` tells of it, as far as the table shows it. */
interface Shown {
  readonly id: string;
  readonly provider: string;
  readonly state: 'live' | 'retired';
  readonly usable: boolean;
  readonly because?: string;
  readonly context_tokens: number;
  readonly usd_per_million?: { readonly input: number; readonly output: number };
  readonly input: readonly string[];
  readonly until?: string;
  readonly successor?: string;
  readonly roles: readonly string[];
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
    const args = {
      ...(options.all && { include_retired: true }),
      ...(options.provider !== undefined && { provider: options.provider }),
    };
    const result = await askDaemon(
      io,
      (client) => client.request('tools/call', { name: 'listmodels', arguments: args }),
      { as: 'bearer' },
    ).then(readCallResult, (thrown: unknown) => readCallFailure(thrown, 'listmodels'));
    const { content } = result.envelope as { content?: { models?: readonly Shown[] } };
    if (result.exit !== 0 || !content?.models) {
      if (options.json) printJson(io, result.envelope);
      else io.stderr.write(`${result.text}\n`);
      return result.exit;
    }
    if (options.json) {
      printJson(io, content);
      return 0;
    }
    const { models } = content;
    const rows = models.map((model) => [
      model.usable ? io.paint('bold', harmless(model.id)) : io.paint('dim', harmless(model.id)),
      model.provider,
      windowWords(model.context_tokens),
      price(model),
      model.input.filter((kind) => kind !== 'text').join(' '),
      harmless(remark(model)),
    ]);
    const head = ['model', 'provider', 'window', 'in / out', 'also takes', ''];
    io.stdout.write(columns([head.map((word) => io.paint('dim', word)), ...rows], '', io.width));
    if (!models.some(({ usable }) => usable)) {
      io.stdout.write('\nNone can be used yet: exai keys add kimi, or exai keys add glm\n');
    }
    return 0;
  },
});

function price({ usd_per_million: usd }: Shown): string {
  if (!usd) return '?';
  return usd.input + usd.output === 0 ? 'free' : `$${usd.input} / $${usd.output}`;
}

function remark({ state, until, successor, because, roles }: Shown): string {
  if (state === 'retired') {
    return `off${until === undefined ? '' : ` since ${until}`}${successor === undefined ? '' : `, ${successor} answers`}`;
  }
  return [roles.join(', '), until === undefined ? '' : `ends ${until}`, because ?? '']
    .filter((words) => words !== '')
    .join('; ');
}
