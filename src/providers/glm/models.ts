import { CallError } from '#core/call-error.ts';
import { command, fix } from '#core/messages/fixes.ts';
import type { ProviderContext, ProviderModel } from '#core/provider.ts';
import { asCount, asList, asObject, asText } from '../wire/json-read.ts';
import { askGlm, unusable, type Glm } from './ask-glm.ts';
import { hostOf, proveKey } from './check.ts';

/** The vendor documents no such list. Where it is absent nothing is known, which is not the same as an empty list. */
export async function listModels(
  glm: Glm,
  context: ProviderContext,
): Promise<readonly ProviderModel[]> {
  let answer;
  try {
    answer = await askGlm(glm, { operation: 'models', method: 'GET', path: '/models' }, context);
  } catch (thrown) {
    const isAbsent =
      thrown instanceof CallError && ['not_found', 'auth', 'not_configured'].includes(thrown.class);
    // A key that is not there at all is worth telling.
    if (!isAbsent || !glm.options.key.isSet) throw thrown;
    if (thrown.class === 'auth') await proveKey(glm, context);
    throw new CallError('not_found', `GLM lists no models at ${hostOf(glm)}.`, {
      provider: 'glm',
      fixes: [
        'The models of the catalogue count.',
        fix('list_models'),
        command('exai keys test', 'test the key'),
      ],
      cause: thrown,
    });
  }
  if (!Array.isArray(answer['data'])) throw unusable('without a list of models');
  return asList(answer['data']).flatMap((each) => {
    const listed = asObject(each);
    const id = asText(listed?.['id']);
    if (!listed || id === undefined) return [];
    const contextTokens = asCount(listed['context_length'] ?? listed['context_window']);
    return [{ id, ...(contextTokens && { contextTokens }) }];
  });
}
