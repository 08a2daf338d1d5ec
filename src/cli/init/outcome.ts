import { ERROR_POLICY } from '#core/error-class.ts';
import type { CallError } from '#core/call-error.ts';
import type { Entry, InitClient } from './client.ts';
import { diffOf, diffText, type Hunk } from './diff.ts';
import { maskLines } from './mask-lines.ts';
import type { InitPlan } from './plan-init.ts';
import type { UndoPlan } from './undo.ts';

/** What is said of one client, in words and as data. */
export interface Outcome {
  readonly client: string;
  readonly name: string;
  readonly state: InitPlan['is'] | UndoPlan['is'];
  /** Whether the file is another one now. */
  readonly written: boolean;
  readonly file?: string;
  /** For people, beside the name of the client. */
  readonly words: string;
  readonly hunk?: Hunk;
  readonly error?: CallError;
  /** What to do so that the client sees it. */
  readonly next?: string;
}

export function initOutcome(plan: InitPlan): Outcome {
  const { client, is } = plan;
  const about = { client: client.id, name: client.name, state: is, written: false };
  switch (plan.is) {
    case 'absent':
      return { ...about, words: 'not found' };
    case 'connected':
      return { ...about, file: plan.file, words: 'connected already' };
    case 'own': {
      const member = plan.member.join('.');
      const why = {
        ours: `${member} was changed by hand, and is yours now`,
        theirs: `${member} is there and is not ours`,
      };
      const words = `left alone: ${why[plan.was]}. Remove it there to have it written anew`;
      return { ...about, file: plan.file, words };
    }
    case 'unsure':
      return { ...about, file: plan.file, words: `left alone: ${plan.why}` };
    case 'refused':
      return { ...about, file: plan.file, words: 'refused', error: plan.error };
    case 'add':
    case 'create':
    case 'update': {
      const { found, text, entry, earlier } = plan;
      const ours = earlier ? [earlier.entry, entry] : [entry];
      const hunk = shownDiff(client, found?.text ?? '', text, ours);
      const words = { add: 'add exai', create: 'make the file', update: 'renew exai' }[plan.is];
      return { ...about, file: plan.file, words, next: client.next, ...(hunk && { hunk }) };
    }
  }
}

export function undoOutcome(plan: UndoPlan): Outcome {
  const { client, record, is } = plan;
  const about = {
    client: client.id,
    name: client.name,
    state: is,
    written: false,
    file: record.file,
  };
  const changed = (after: string, words: string, before: string) => {
    const hunk = shownDiff(client, before, after, [record.entry]);
    return { ...about, words, ...(hunk && { hunk }) };
  };
  switch (plan.is) {
    case 'restore':
      return changed(plan.text.replace(/^\uFEFF/, ''), 'put back as it was', plan.found.text);
    case 'remove':
      return changed('', 'remove the file, which was made for exai', plan.found.text);
    case 'take-out':
      return changed(plan.text, 'take exai out; the rest was changed since', plan.found.text);
    case 'gone':
      return { ...about, words: 'nothing of ours is in it any more' };
    case 'own':
      return { ...about, words: 'left alone: its entry was changed by hand, and is yours now' };
    case 'refused':
      return { ...about, words: 'refused', error: plan.error };
  }
}

function shownDiff(
  { format }: InitClient,
  before: string,
  after: string,
  ours: readonly Entry[],
): Hunk | undefined {
  return diffOf(before, after, (text) => maskLines(text, format, ours));
}

export function failedOutcome(outcome: Outcome, error: CallError): Outcome {
  return { ...outcome, state: 'refused', words: 'refused', error };
}

export function outcomeDocument({ hunk, error, ...outcome }: Outcome): object {
  const { file } = outcome;
  return {
    ...outcome,
    ...(hunk && file !== undefined && { diff: diffText(file, hunk) }),
    ...(error && { error: error.toJSON() }),
  };
}

/** That of the first failure; and where somebody named a client that is not there, that it is not. */
export function exitOf(outcomes: readonly Outcome[], named: 'all' | 'some'): number {
  const failed = outcomes.find(({ error }) => error !== undefined)?.error;
  if (failed) return failed.policy.exit;
  const missing = outcomes.filter(({ state }) => state === 'absent' || state === 'unsure');
  const isMissed = named === 'some' ? missing.length > 0 : missing.length === outcomes.length;
  return isMissed && outcomes.length > 0 ? ERROR_POLICY.not_found.exit : 0;
}
