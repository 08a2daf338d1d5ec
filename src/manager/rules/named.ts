import { meansWords } from '../means-words.ts';
import { no, yes, type Named, type Rule, type Wanted } from './rule.ts';

function wantedOf(named: Named | undefined, so: string): readonly Wanted[] {
  return named?.model ? [{ model: named.model, so }] : [];
}

/** A name may stand for another model, such as the successor of one that is switched off. */
function answersWords(named: Named | undefined): string {
  const id = named?.model?.id;
  return id === undefined || id === named?.name ? 'it answers' : `${id} answers`;
}

export const explicitModel: Rule = {
  number: 1,
  id: 'explicit-model',
  when: 'the caller names a model, or `DEFAULT_MODEL` does for all who name none',
  route:
    'that model, a retired one by its successor; when it fails the chain, unless the caller says `fallback: none`',
  applies({ named }) {
    if (!named) return no('no model was named');
    if (named.by === 'setting') return yes(`models.default is ${named.name}`);
    if (named.writtenAs !== undefined) return yes(meansWords(named.writtenAs, named.name));
    return yes(`${named.name} was asked for`);
  },
  wants: ({ named }) => wantedOf(named, answersWords(named)),
};

export const lockedModel: Rule = {
  number: 2,
  id: 'thread-model',
  when: 'the thread that goes on has its model',
  route: 'that model',
  applies: ({ locked }) =>
    locked ? yes(`the thread is with ${locked.name}`) : no('no thread has chosen before'),
  wants: ({ locked }) => wantedOf(locked, 'it goes on'),
};
