import { CallError } from '#core/call-error.ts';
import { failing } from '#core/failing.ts';
import type { Provider } from '#core/provider.ts';
import { listedReasons, type ModelLists } from '#models/allow.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { Catalogue } from '#models/model.ts';

/** The provider, which refuses models that the user's lists do not let in, whatever name they are called by. */
export function withModelLists(
  provider: Provider,
  catalogue: () => Catalogue,
  lists: ModelLists,
): Provider {
  const reasonAgainst = listedReasons(lists);
  const refusal = (name: string): CallError | undefined => {
    const resolved = catalogue().resolve(name);
    const isKnown = resolved.is === 'found' && resolved.model.provider === provider.id;
    const model = isKnown ? resolved.model : assumeModel(name, provider.id);
    const because = reasonAgainst(model);
    if (because === undefined) return undefined;
    return new CallError('not_configured', `${model.id} may not be used: ${because}.`, {
      field: 'model',
      fix: 'Choose another model, or change that list.',
      provider: provider.id,
      model: model.id,
    });
  };
  return {
    ...provider,
    chat(request, context) {
      const refused = refusal(request.model);
      return refused ? failing(refused) : provider.chat(request, context);
    },
    ...(provider.chatLater && {
      async chatLater(request, context) {
        const refused = refusal(request.model);
        if (refused) throw refused;
        return (await provider.chatLater?.(request, context)) ?? '';
      },
    }),
  };
}
