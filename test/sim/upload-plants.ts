import type { Provider } from '#core/llm/provider.ts';
import type { Plants } from './plants.ts';

type Upload = NonNullable<Provider['upload']>;

function uploading(change: (upload: Upload) => Upload): Plants {
  return {
    provider(provider) {
      const upload: Upload | undefined = provider.upload?.bind(provider);
      return { ...provider, ...(upload && { upload: change(upload) }) };
    },
  };
}

export const UPLOAD_PLANTS = {
  /** Two callers with one content upload it each. */
  'doubled-upload': (): Plants =>
    uploading((upload) => async (file, context) => {
      const [first] = await Promise.all([upload(file, context), upload(file, context)]);
      return first;
    }),
  /** Uploads continue when no caller waits for them, without a limit. */
  'endless-upload': (): Plants =>
    uploading((upload) => (file) => {
      const { signal } = new AbortController();
      return upload(file, { signal, deadline: { at: Infinity } });
    }),
  /** What a provider forgot stays in the cache. */
  'lasting-file': (): Plants => ({
    files: (files) => ({ ...files, dropProviderFile: async () => undefined }),
  }),
} as const satisfies Record<string, () => Plants>;
