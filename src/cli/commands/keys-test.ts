import { testKeys, type KeyTest } from '#app/admin/test-keys.ts';
import { keepAlive, system } from '#app/system.ts';
import { loadConfig } from '#config/load/load.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { findProvider } from '#core/providers/list.ts';
import { defineCommand } from '../command.ts';
import { formatColumns } from '../format/layout.ts';
import { liftCoolDowns } from '../lift-cool-downs.ts';
import { createProgressLine } from '../format/progress.ts';
import { printJson } from '../io.ts';

const COLOURS: Record<KeyTest['is'], 'green' | 'red' | 'yellow' | 'dim'> = {
  accepted: 'green',
  'no balance': 'red',
  refused: 'red',
  failed: 'red',
  unreachable: 'yellow',
  'not set': 'dim',
  'not tested': 'dim',
};

export const command = defineCommand({
  name: 'keys test',
  summary: 'Test the keys with their providers',
  about:
    'Makes the cheapest request that proves the key, and waits 10 seconds at most. It needs no daemon. An account that works ' +
    'again is used again at once. Exits with 0 when every key that is set was accepted.',
  positionals: [{ name: 'name', need: 'optional', help: 'Only this one, such as kimi' }],
  async run({ options, positionals }, io) {
    const loaded = loadConfig({ env: io.env });
    const name = positionals['name'];
    const progress = createProgressLine(io);
    const onWaiting = (names: readonly string[]) =>
      progress.show({ note: names.length === 0 ? '' : `waiting for ${names.join(', ')} …` });
    const tests = await keepAlive(
      testKeys(loaded, { ...system, onWaiting, ...(name !== undefined && { name }) }),
    ).finally(() => progress.clear());
    const accepted = tests.flatMap((test) => (test.is === 'accepted' ? [test.name] : []));
    const lifted = await keepAlive(liftCoolDowns(loaded, accepted, io));
    const failed = tests.find(({ errorClass }) => errorClass !== undefined);
    const isNoneSet = tests.every(({ is }) => is === 'not set');
    const exit = failed?.errorClass
      ? ERROR_POLICY[failed.errorClass].exit
      : isNoneSet
        ? ERROR_POLICY.not_configured.exit
        : 0;
    if (options.json) {
      printJson(io, { keys: tests, lifted });
      return exit;
    }
    const rows = tests.flatMap(({ name: key, title, is, words, fix }) => [
      [io.paint('bold', key), title, io.paint(COLOURS[is], is), words],
      ...(fix === undefined ? [] : [['', '', '', io.paint('dim', `fix: ${fix}`)]]),
    ]);
    io.stdout.write(formatColumns(rows, '', io.width));
    if (lifted.length > 0) io.stdout.write(`\nUsed again at once: ${lifted.join(', ')}\n`);
    // A custom server needs an address; its row says so.
    const isKeyMissing =
      isNoneSet && tests.some(({ name: key }) => findProvider(key)?.needs !== 'address');
    if (isKeyMissing) io.stdout.write('\nStore one with: exai keys add <name>\n');
    return exit;
  },
});
