import { verifyHomeAudit } from '#app/maintain.ts';
import { ERROR_POLICY } from '#core/error-class.ts';
import type { AuditReport } from '#core/stores/store.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, loadFor } from '../config-option.ts';
import { printJson, type Io } from '../io.ts';

type Chain = AuditReport['chains'][number];

export const command = defineCommand({
  name: 'audit verify',
  summary: 'Check that no row of the audit was changed, removed or slipped in',
  about:
    'Walks the hash chain of every daemon that wrote to the store, and prints the hash each ends with. By itself it ' +
    'cannot tell whether the newest rows or a whole chain were taken away; compare with a hash you noted elsewhere.',
  options: CONFIG_OPTION,
  async run({ options }, io) {
    const { chains } = await verifyHomeAudit(loadFor(options, io));
    const broken = chains.filter(({ fault }) => fault !== undefined);
    if (options.json) printJson(io, { ok: broken.length === 0, chains });
    else {
      const rows = chains.reduce((sum, chain) => sum + chain.rows, 0);
      for (const chain of chains) io.stdout.write(`${describe(chain, io)}\n`);
      const verdict = broken.length === 0 ? 'All is whole' : 'The audit is not whole';
      io.stdout.write(
        `${verdict}: ${count(rows, 'row')} checked in ${count(chains.length, 'chain')}.\n`,
      );
    }
    return broken.length === 0 ? 0 : ERROR_POLICY.internal.exit;
  },
});

function describe({ writerId, rows, toSeq, head, fault }: Chain, io: Pick<Io, 'paint'>): string {
  if (fault) return `${io.paint('red', 'Broken')}: ${writerId}: ${fault.what}`;
  return `${writerId}: ${count(rows, 'row')}, up to ${toSeq} ${io.paint('dim', head)}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
