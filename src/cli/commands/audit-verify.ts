import { verifyHomeAudit } from '#app/daemon/maintain.ts';
import { CallError } from '#core/errors/call-error.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import type { AuditReport } from '#core/stores/store.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, loadConfigFor } from '../config-option.ts';
import { printJson, type Io } from '../io.ts';

type Chain = AuditReport['chains'][number];
type Head = AuditReport['heads'][number];

const HASH = /^[0-9a-f]{64}$/;

export const command = defineCommand({
  name: 'audit verify',
  summary: 'Verify the audit log (modified, missing or inserted entries)',
  about:
    'Walks the hash chain of every daemon that wrote to the store, and prints the hash each ends with. Rows that were written with ' +
    'a key of this home are proven by it: an attacker who can only write the database cannot forge them. Chains of other homes are ' +
    'checked by their links alone, which does not detect a chain that was rebuilt completely. The end of this home’s own chain is ' +
    'compared with EXAI_HOME/audit-head, so rows that were removed from its end are found. For other chains, and against an attacker ' +
    'who can write the home, note the hash elsewhere, and pass it with --head later.\n' +
    '  exai audit verify --head 3f0c…',
  options: {
    ...CONFIG_OPTION,
    head: {
      type: 'texts',
      value: 'HASH',
      help: 'A hash noted earlier: is it still in a chain?',
    },
  },
  async run({ options }, io) {
    const wanted = (options.head ?? []).map(readHead);
    const { chains, heads } = await verifyHomeAudit(loadConfigFor(options, io), wanted);
    const broken = chains.filter(({ fault }) => fault !== undefined);
    const isWhole = broken.length === 0 && heads.every(({ is }) => is === 'found');
    if (options.json) printJson(io, { ok: isWhole, chains, heads });
    else {
      const rows = chains.reduce((sum, chain) => sum + chain.rows, 0);
      for (const chain of chains) io.stdout.write(`${describe(chain, io)}\n`);
      for (const head of heads) io.stdout.write(`${describeHead(head, chains, io)}\n`);
      const verdict = isWhole ? 'No fault found' : 'The audit has faults';
      const unproven = chains.filter(({ proof }) => proof.by === 'links').length;
      const but =
        unproven === 0 ? '' : `; ${count(unproven, 'chain')} not proven by a key of this home`;
      io.stdout.write(
        `${verdict}: ${count(rows, 'row')} checked in ${count(chains.length, 'chain')}${but}.\n`,
      );
    }
    return isWhole ? 0 : ERROR_POLICY.internal.exit;
  },
});

function readHead(text: string): string {
  const hash = text.trim().toLowerCase();
  if (HASH.test(hash)) return hash;
  throw new CallError('validation', '--head must be a hash of 64 hexadecimal digits.', {
    field: '--head',
    fix: 'Give one that exai audit verify printed earlier.',
  });
}

function describe(chain: Chain, io: Pick<Io, 'paint'>): string {
  const { writerId, rows, toSeq, head, fault } = chain;
  if (fault) return `${io.paint('red', 'Broken')}: ${writerId}: ${fault.what}`;
  const parts = [
    `${count(rows, 'row')}, up to ${toSeq}`,
    ...describeCut(chain),
    describeProof(chain),
  ];
  return `${writerId}: ${parts.join('; ')} ${io.paint('dim', head)}`;
}

function describeCut({ cut, fromSeq }: Chain): string[] {
  if (!cut) return [];
  const by = cut.proof === 'key' ? '' : ', without a proof by a key of this home';
  return [`retention removed rows up to ${fromSeq}, from before ${cut.until.slice(0, 10)}${by}`];
}

function describeProof({ proof, fromSeq }: Chain): string {
  if (proof.by === 'links') return 'checked by links alone, as its key is not in this home';
  if (proof.fromSeq <= fromSeq + 1) return 'proven by the key of this home';
  return `proven by the key of this home from row ${proof.fromSeq} on, before that by links`;
}

function describeHead(head: Head, chains: readonly Chain[], io: Pick<Io, 'paint'>): string {
  if (head.is === 'found') {
    const { head: hash, seq, writerId } = head;
    const isCut = chains.some((chain) => chain.writerId === writerId && chain.cut);
    const but = isCut ? ', but for what retention removed' : '';
    return `Found: ${hash} is row ${seq} of ${writerId}; no row up to it was removed or changed since${but}`;
  }
  const why =
    'rows were removed or rewritten, or retention has removed it; see where the chains begin';
  return `${io.paint('red', 'Not found')}: ${head.head} is in no chain: ${why}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
