import { CallError } from '#core/call-error.ts';
import type { ProviderContext } from '#core/provider.ts';
import { askGlm, type Glm } from './ask-glm.ts';
import { askTokenizer, TOKENIZER_MODEL } from './count-tokens.ts';
import { isCodingPath } from './site.ts';

/** Counting the tokens of one word costs nothing and needs a key that works, which the list of models may not have told. */
export async function checkGlm(glm: Glm, context: ProviderContext): Promise<string> {
  const body = { messages: [{ role: 'user', content: 'hi' }] };
  try {
    await askTokenizer(glm, TOKENIZER_MODEL, body, context);
  } catch (thrown) {
    // Whoever says that there is no such model or endpoint has let the key pass; one that lists models has done so for sure.
    if (!(thrown instanceof CallError) || !IS_OPEN.has(thrown.class)) throw thrown;
    await askGlm(glm, { operation: 'models', method: 'GET', path: '/models' }, context);
  }
  const { baseUrl } = glm.options;
  const charged = isCodingPath(baseUrl) ? 'chats are charged to the Coding Plan' : 'pay as you go';
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : glm.site.host;
  return `${host} accepts the key (${charged})`;
}

const IS_OPEN = new Set<string>(['not_found', 'bad_request', 'bad_response']);
