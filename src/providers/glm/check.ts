import { CallError } from '#core/call-error.ts';
import { isUrl } from '#core/is-url.ts';
import type { ProviderContext } from '#core/provider.ts';
import { askGlm, type Glm } from './ask-glm.ts';
import { askTokenizer, TOKENIZER_MODEL } from './count-tokens.ts';
import { isCodingPath } from './site.ts';

/** Counting the tokens of one word costs nothing and needs a key that works, which the list of models may not have told. */
export async function checkGlm(glm: Glm, context: ProviderContext): Promise<string> {
  const proof = await proveKey(glm, context);
  // Whoever lists models has let the key pass for sure.
  if (proof === 'likely')
    await askGlm(glm, { operation: 'models', method: 'GET', path: '/models' }, context);
  const isPlan = isCodingPath(glm.options.baseUrl);
  const charged = isPlan ? 'chats are charged to the Coding Plan' : 'pay as you go';
  return `${hostOf(glm)} accepts the key (${charged})`;
}

/** Throws when the key is refused. Whoever says that there is no such model or endpoint has most likely let it pass. */
export async function proveKey(glm: Glm, context: ProviderContext): Promise<'sure' | 'likely'> {
  const body = { messages: [{ role: 'user', content: 'hi' }] };
  try {
    await askTokenizer(glm, TOKENIZER_MODEL, body, context);
    return 'sure';
  } catch (thrown) {
    if (!(thrown instanceof CallError) || !IS_OPEN.has(thrown.class)) throw thrown;
    return 'likely';
  }
}

export function hostOf({ options: { baseUrl }, site }: Glm): string {
  return isUrl(baseUrl) ? new URL(baseUrl).host : site.host;
}

const IS_OPEN = new Set<string>(['not_found', 'bad_request', 'bad_response']);
