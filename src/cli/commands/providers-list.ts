import { addedProviders } from '#app/providers/added-providers.ts';
import { loadConfig } from '#config/load/load.ts';
import type { Config } from '#config/schema/config.schema.ts';
import { splitKeys } from '#config/secrets/mask.ts';
import { CONFIGURED_PROVIDERS } from '#core/providers/list.ts';
import { PRESETS } from '#core/providers/presets/presets.ts';
import { defineCommand } from '../command.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson } from '../io.ts';

interface Row {
  readonly id: string;
  readonly title: string;
  readonly state: 'ready' | 'no key' | 'no address';
  readonly host?: string;
  /** Models for routing; absent if those of its list are used. */
  readonly models?: readonly string[];
  readonly keys: number;
  /** `untried`: by its documentation, not by our tests. */
  readonly tested: 'tested' | 'untried' | 'own';
  readonly fix?: string;
}

export const command = defineCommand({
  name: 'providers list',
  summary: 'List the providers, and with --presets those that can be added',
  about:
    'Built-in providers first, then those that you have added. untried: made from the documentation of the vendor, whose ' +
    'API our tests do not emulate. It sends nothing; exai keys test does.',
  options: { presets: { type: 'boolean', help: 'List the presets that can be added' } },
  async run({ options }, io) {
    if (options.presets) {
      const presets = PRESETS.map(({ id, title, baseUrl, example, keyEnv, state, api }) => ({
        id,
        title,
        baseUrl: baseUrl || (example ?? ''),
        keyEnv,
        api,
        state,
      }));
      if (options.json) return printJson(io, { presets });
      const rows = presets.map(({ id, title, baseUrl, state }) => [
        io.paint('bold', id),
        title,
        baseUrl,
        io.paint(state === 'untried' ? 'yellow' : 'green', state),
      ]);
      io.stdout.write(formatColumns(rows, '', io.width));
      io.stdout.write('\nAdd one with: exai providers add <name>\n');
      return;
    }
    const rows = listProviders(loadConfig({ env: io.env }).config);
    if (options.json) return printJson(io, { providers: rows });
    io.stdout.write(
      formatColumns(
        rows.map(({ id, title, state, host = '', models, keys, tested, fix }) => [
          io.paint('bold', id),
          title,
          io.paint(state === 'ready' ? 'green' : 'dim', state),
          host,
          models ? models.join(', ') : 'as listed',
          keys === 1 ? '1 key' : `${keys} keys`,
          tested === 'untried' ? io.paint('yellow', tested) : tested === 'own' ? 'own' : '',
          fix === undefined ? '' : io.paint('dim', fix),
        ]),
        '',
        io.width,
      ),
    );
  },
});

function listProviders(config: Config): readonly Row[] {
  const builtIn = CONFIGURED_PROVIDERS.map(({ id, title, needs }): Row => {
    const { apiKey, otherKeys, baseUrl } = config.providers[id];
    const keys = new Set([apiKey, ...splitKeys(otherKeys)].filter(Boolean)).size;
    const state =
      needs === 'key' ? (keys > 0 ? 'ready' : 'no key') : baseUrl === '' ? 'no address' : 'ready';
    return {
      id,
      title,
      state,
      ...(baseUrl !== '' && { host: new URL(baseUrl).host }),
      keys,
      tested: 'tested',
      ...(state === 'no key' && { fix: `exai keys add ${id}` }),
    };
  });
  const added = addedProviders(config).map(
    ({ id, title, baseUrl, models, keys, preset, lacks }): Row => ({
      id,
      title,
      state: lacks ? `no ${lacks.what}` : 'ready',
      ...(baseUrl !== '' && { host: new URL(baseUrl).host }),
      ...(models.length > 0 && { models: models.map((model) => model.id) }),
      keys: keys.length,
      tested: preset?.state ?? 'own',
      ...(lacks && { fix: lacks.fix }),
    }),
  );
  return [...builtIn, ...added];
}
