import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { providerFileTools } from '#tools/kimi-files/index.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type ProviderFilesContext = Pick<
  FeatureContext,
  'loaded' | 'clock' | 'uploads' | 'fileIntake' | 'checkSentTexts' | 'modelDirectory'
>;

/** The tools for files at providers, and for traces of requests to Kimi. */
export function providerFilesFeature(context: ProviderFilesContext): Feature {
  const folder = join(context.loaded.home.logDir, 'moonpalace');
  return {
    name: 'provider-files',
    tools: providerFileTools({
      ...context,
      async saveTrace(name, text) {
        // A trace holds the texts of a request, so only the owner may read it.
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const path = join(folder, name);
        await writeFile(path, text, { mode: 0o600 });
        return path;
      },
    }),
  };
}
