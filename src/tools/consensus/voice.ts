import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';
import type { ModelDesk } from '#models/desk.ts';
import { checkKnown } from './check-known.ts';

export const STANCES = ['for', 'against', 'neutral'] as const;
export type Stance = (typeof STANCES)[number];

/** Somebody to be asked, as the caller named them. */
export interface NamedVoice {
  readonly model: string;
  readonly stance?: Stance | undefined;
  readonly stance_prompt?: string | undefined;
}

/** A model with its part. */
export interface Voice {
  /** As it was named: what stands in the way of asking it is told by whoever is asked for it. */
  readonly name: string;
  /** The model that the name means, where it means one. */
  readonly model: string;
  /** The model, with its stance where it has two of them. */
  readonly label: string;
  /** How the others know it: a name would be deferred to, or not, for what it is. */
  readonly letter: string;
  readonly stance: Stance;
  /** How the part is to be taken; may be empty. */
  readonly part: string;
}

const MAX_OF_ONE = 2;
const MAX_LABEL_CHARS = 80;
const LETTERS = 'ABCDEFGH';

/** Throws `validation` for what would be one voice twice, whichever names it goes by, and `not_found` for names that mean nothing. */
export function readVoices(
  named: readonly NamedVoice[],
  desk: Pick<ModelDesk, 'resolve' | 'providers'>,
): readonly Voice[] {
  const byModel = new Map<string, Stance[]>();
  const known = named.map(({ model: given, stance = 'neutral', stance_prompt: part = '' }) => {
    const name = given.trim();
    if (name === '' || name.toLowerCase() === 'auto') throw nobodyNamed();
    const resolved = desk.resolve(name);
    const model = oneLine(resolved.is === 'found' ? resolved.model.id : name, MAX_LABEL_CHARS);
    const key =
      resolved.is === 'found'
        ? `${resolved.model.provider} ${resolved.model.id}`
        : `? ${name.toLowerCase()}`;
    const stances = byModel.get(key) ?? [];
    if (stances.includes(stance)) throw twice(model, stance);
    if (stances.length === MAX_OF_ONE) throw tooOften(model);
    byModel.set(key, [...stances, stance]);
    return { key, name, model, stance, part: part.trim() };
  });
  checkKnown(
    known.map(({ name }) => name),
    desk,
  );
  return known.map(({ key, ...voice }, at) => {
    const isAlone = byModel.get(key)?.length === 1;
    const label = isAlone ? voice.model : `${voice.model} (${voice.stance})`;
    return { ...voice, label, letter: LETTERS[at] ?? String(at + 1) };
  });
}

function nobodyNamed(): CallError {
  return new CallError('validation', '"models" has an entry that names no model.', {
    field: 'models',
    fixes: [
      'Name each of them.',
      fix('list_models'),
      fix('omit_argument', { argument: 'models' }),
      'Then three are chosen.',
    ],
  });
}

function twice(model: string, stance: Stance): CallError {
  return new CallError('validation', `"models" has ${model} twice with the stance ${stance}.`, {
    field: 'models',
    fix: 'Give it another stance (for, against, neutral), or name another model.',
  });
}

function tooOften(model: string): CallError {
  return new CallError('validation', `"models" has ${model} more than twice.`, {
    field: 'models',
    fix: 'Name other models: one that is asked again and again is still one opinion.',
  });
}
