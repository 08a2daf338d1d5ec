import type { Provider } from '#core/llm/provider.ts';
import { createCustom, type CustomSettings } from '../custom/custom.ts';
import { asObject } from '../openai-compatible/response/json.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { createMessagesHttp, messagesUrl } from './messages-http.ts';
import { toMessagesRequest } from './messages-request.ts';

/** A provider that speaks Anthropic's Messages API. It has no embeddings. */
export function createAnthropic(settings: CustomSettings, deps: ProviderDeps): Provider {
  const inner = createCustom(settings, { ...deps, http: createMessagesHttp(deps.http) });
  const provider: Provider = {
    ...inner,
    capabilities: inner.capabilities.filter((each) => each !== 'embed'),
    preview(request) {
      const written = inner.preview?.(request);
      if (!written) throw new TypeError('The adapter has no preview');
      return {
        url: messagesUrl(written.url),
        body: toMessagesRequest(asObject(written.body) ?? {}),
      };
    },
  };
  delete provider.embed;
  return provider;
}
