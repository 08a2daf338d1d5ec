import type { EmbedWorld } from '#manager/embed-model.ts';
import { assumeModel } from '#models/assume-model.ts';
import { EMBEDDING_MODELS } from '#models/built-in.ts';
import type { Outside } from '../outside/outside.ts';

/** What one's own server is asked for when nobody named a model: it has one, or says that it has not. */
const ANY = 'default';

/** Who makes embeddings, by the settings: those do not change while the daemon runs. */
export function createEmbedWorld(
  outside: Pick<Outside, 'desk' | 'obstacleTo'>,
  embeddingModel: string,
): EmbedWorld {
  const { desk } = outside;
  const hasOwn = desk
    .providers()
    .some(({ id, configured, can }) => id === 'custom' && configured && can.includes('embed'));
  const own = assumeModel(embeddingModel === '' ? ANY : embeddingModel, 'custom');
  return {
    known: EMBEDDING_MODELS.map(({ id, provider }) => assumeModel(id, provider)),
    ...(hasOwn && { own: { model: own, is: embeddingModel === '' ? 'any' : 'set' } as const }),
    obstacle: (model) => outside.obstacleTo(model)?.reason,
    resolve: (name) => desk.resolve(name),
  };
}
