import type { CallError } from '#core/errors/call-error.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import type { ServerEntry, InitClient } from './client-definition.ts';
import { diffOf, diffText, type DiffHunk } from './diff.ts';
import { maskLines } from './mask-lines.ts';
import type { InitPlan } from './plan-init.ts';
import type { UndoPlan } from './undo.ts';

/** What an entry of a client did when it was started as the client starts it. */
export type EntryCheck =
  | { readonly is: 'answers'; readonly tools: number }
  | { readonly is: 'failed'; readonly error: CallError };

/** The result for one client, for text and JSON output. */
export interface InitOutcome {
  readonly client: string;
  readonly name: string;
  readonly state: InitPlan['is'] | UndoPlan['is'];
  /** Whether the file was changed. */
  readonly written: boolean;
  readonly file?: string;
  /** The text beside the name of the client. */
  readonly words: string;
  readonly hunk?: DiffHunk;
  readonly error?: CallError;
  /** What the user does to activate the change. */
  readonly next?: string;
  /** Whether the entry answers; absent where it was not started. */
  readonly check?: EntryCheck;
}

export function outcomeOfInit(plan: InitPlan): InitOutcome {
  const { client, is } = plan;
  const base = { client: client.id, name: client.name, state: is, written: false };
  switch (plan.is) {
    case 'absent':
      return { ...base, words: 'not found' };
    case 'connected':
      return { ...base, file: plan.file, words: 'connected already' };
    case 'own': {
      const member = plan.member.join('.');
      const why = {
        ours: `${member} was changed by hand, and is yours now`,
        theirs: `${member} is there and is not ours`,
      };
      const words = `left alone: ${why[plan.was]}. Remove it there to have it rewritten`;
      return { ...base, file: plan.file, words };
    }
    case 'unsure':
      return { ...base, file: plan.file, words: `left alone: ${plan.why}` };
    case 'refused':
      return { ...base, file: plan.file, words: 'refused', error: plan.error };
    case 'add':
    case 'create':
    case 'update': {
      const { found, text, entry, earlier } = plan;
      const ours = earlier ? [earlier.entry, entry] : [entry];
      const hunk = shownDiff(client, found?.text ?? '', text, ours);
      const words = { add: 'add exai', create: 'create the file', update: 'update exai' }[plan.is];
      return { ...base, file: plan.file, words, next: client.nextStep, ...(hunk && { hunk }) };
    }
  }
}

export function outcomeOfUndo(plan: UndoPlan): InitOutcome {
  const { client, record, is } = plan;
  const base = {
    client: client.id,
    name: client.name,
    state: is,
    written: false,
    file: record.file,
  };
  const changed = (after: string, words: string, before: string) => {
    const hunk = shownDiff(client, before, after, [record.entry]);
    return { ...base, words, ...(hunk && { hunk }) };
  };
  switch (plan.is) {
    case 'restore':
      return changed(plan.text.replace(/^\uFEFF/, ''), 'put back as it was', plan.found.text);
    case 'remove':
      return changed('', 'remove the file, which was made for exai', plan.found.text);
    case 'take-out':
      return changed(plan.text, 'take exai out; the rest was changed since', plan.found.text);
    case 'gone':
      return { ...base, words: 'nothing of ours is in it any more' };
    case 'own':
      return { ...base, words: 'left alone: its entry was changed by hand, and is yours now' };
    case 'refused':
      return { ...base, words: 'refused', error: plan.error };
  }
}

function shownDiff(
  { format }: InitClient,
  before: string,
  after: string,
  ours: readonly ServerEntry[],
): DiffHunk | undefined {
  return diffOf(before, after, (text) => maskLines(text, format, ours));
}

export function outcomeOfFailure(outcome: InitOutcome, error: CallError): InitOutcome {
  return { ...outcome, state: 'refused', words: 'refused', error };
}

export function outcomeJson({ hunk, error, check, ...outcome }: InitOutcome): object {
  const { file } = outcome;
  return {
    ...outcome,
    ...(check && { check: checkJson(check) }),
    ...(hunk && file !== undefined && { diff: diffText(file, hunk) }),
    ...(error && { error: error.toJSON() }),
  };
}

function checkJson(check: EntryCheck): object {
  return check.is === 'answers'
    ? { answers: true, tools: check.tools }
    : { answers: false, error: check.error.toJSON() };
}

/** Why the entry of a client does not answer; undefined if it does, or was not started. */
export function checkFailure({ check }: InitOutcome): CallError | undefined {
  return check?.is === 'failed' ? check.error : undefined;
}

/**
 * The exit code of the first failure; otherwise not_found if a client that was named is missing, or
 * all are.
 */
export function initExitCode(outcomes: readonly InitOutcome[], named: 'all' | 'some'): number {
  const failed = outcomes.find(({ error }) => error !== undefined)?.error;
  if (failed) return failed.policy.exit;
  const silent = outcomes.map(checkFailure).find((error) => error !== undefined);
  if (silent) return silent.policy.exit;
  const missing = outcomes.filter(({ state }) => state === 'absent' || state === 'unsure');
  const isMissed = named === 'some' ? missing.length > 0 : missing.length === outcomes.length;
  return isMissed && outcomes.length > 0 ? ERROR_POLICY.not_found.exit : 0;
}
