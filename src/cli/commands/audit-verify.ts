import { verifyHomeAudit } from '#app/maintain.ts';
import { loadConfig } from '#config/load.ts';
import { ERROR_POLICY } from '#core/error-class.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'audit verify',
  summary: 'Check that no row of the audit was changed, removed or slipped in',
  about:
    'Walks the hash chain of every daemon that wrote to the store. It cannot tell whether the newest rows of a ' +
    'chain were cut off: keep a backup elsewhere to compare with.',
  async run({ options }, io) {
    const { chains } = await verifyHomeAudit(loadConfig({ env: io.env }));
    const broken = chains.filter(({ fault }) => fault !== undefined);
    if (options.json) printJson(io, { ok: broken.length === 0, chains });
    else {
      const rows = chains.reduce((sum, chain) => sum + chain.rows, 0);
      for (const { writerId, fault } of broken) {
        io.stdout.write(`${io.paint('red', 'Broken')}: ${writerId}: ${fault?.what}\n`);
      }
      const verdict = broken.length === 0 ? 'All is whole' : 'The audit is not whole';
      io.stdout.write(
        `${verdict}: ${count(rows, 'row')} checked in ${count(chains.length, 'chain')}.\n`,
      );
    }
    return broken.length === 0 ? 0 : ERROR_POLICY.internal.exit;
  },
});

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
