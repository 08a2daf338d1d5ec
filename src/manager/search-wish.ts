import type { Intent } from '#core/ask.ts';
import type { RouteFacts } from '#core/route.ts';
import { UNSURE_BELOW, type Classified } from './classify.ts';

/** Whether the provider's own search is wanted: asked for, or needed by what the question says. */
export function searchWish(
  { search, fresh }: RouteFacts,
  classified: Classified,
  intent: Intent | undefined,
): 'yes' | 'no' {
  if (search !== 'auto') return search === 'on' ? 'yes' : 'no';
  if (classified.class === 'web') return 'yes';
  if (intent?.by === 'model' && intent.confidence >= UNSURE_BELOW) return intent.needsWebSearch;
  return fresh?.strength === 'strong' ? 'yes' : 'no';
}
