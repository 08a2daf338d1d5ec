import { reason, type Reason } from '#core/messages/reasons.ts';
import type { RequestedModel } from '../routing-context.ts';
import { doesNotApply, applies, type Rule, type RuleCandidate } from './rule.ts';

function candidatesOf(named: RequestedModel | undefined, choice: Reason): readonly RuleCandidate[] {
  return named?.model ? [{ model: named.model, choice }] : [];
}

/** A name may resolve to another model, such as the successor of a retired one. */
function answers(named: RequestedModel | undefined): Reason {
  const id = named?.model?.id;
  return reason('model_answers', id === undefined || id === named?.name ? {} : { model: id });
}

export const explicitModel: Rule = {
  number: 1,
  id: 'explicit-model',
  when: 'the caller names a model, or `DEFAULT_MODEL` does for all who name none',
  route:
    'that model, a retired one by its successor; when it fails the chain, unless the caller says `fallback: none`',
  applies({ named, facts }) {
    if (!named) return doesNotApply(reason('no_model_named'));
    const { name: model, writtenAs } = named;
    if (named.by === 'setting') return applies(reason('default_model', { model }));
    if (writtenAs !== undefined) return applies(reason('name_mapped', { writtenAs, model }));
    return applies(
      reason(facts.namedBy === 'panel' ? 'panel_member' : 'model_requested', { model }),
    );
  },
  candidates: ({ named }) => candidatesOf(named, answers(named)),
};

export const lockedModel: Rule = {
  number: 2,
  id: 'thread-model',
  when: 'the continued thread has a model',
  route: 'that model',
  applies: ({ locked }) =>
    locked
      ? applies(reason('thread_model', { model: locked.name }))
      : doesNotApply(reason('no_thread_model')),
  candidates: ({ locked }) => candidatesOf(locked, reason('thread_continues')),
};
