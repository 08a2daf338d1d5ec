import { reason, type Reason } from '#core/messages/reasons.ts';
import { no, yes, type Named, type Rule, type Wanted } from './rule.ts';

function wantedOf(named: Named | undefined, choice: Reason): readonly Wanted[] {
  return named?.model ? [{ model: named.model, choice }] : [];
}

/** A name may stand for another model, such as the successor of one that is switched off. */
function answers(named: Named | undefined): Reason {
  const id = named?.model?.id;
  return reason('model_answers', id === undefined || id === named?.name ? {} : { model: id });
}

export const explicitModel: Rule = {
  number: 1,
  id: 'explicit-model',
  when: 'the caller names a model, or `DEFAULT_MODEL` does for all who name none',
  route:
    'that model, a retired one by its successor; when it fails the chain, unless the caller says `fallback: none`',
  applies({ named }) {
    if (!named) return no(reason('no_model_named'));
    const { name: model, writtenAs } = named;
    if (named.by === 'setting') return yes(reason('default_model', { model }));
    if (writtenAs !== undefined) return yes(reason('name_mapped', { writtenAs, model }));
    return yes(reason('model_requested', { model }));
  },
  wants: ({ named }) => wantedOf(named, answers(named)),
};

export const lockedModel: Rule = {
  number: 2,
  id: 'thread-model',
  when: 'the thread that goes on has its model',
  route: 'that model',
  applies: ({ locked }) =>
    locked ? yes(reason('thread_model', { model: locked.name })) : no(reason('no_thread_model')),
  wants: ({ locked }) => wantedOf(locked, reason('thread_continues')),
};
