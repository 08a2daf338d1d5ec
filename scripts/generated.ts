import { cliPage } from './cli-docs.ts';
import { configJsonSchema, configMarkdown, envExample } from './config-docs.ts';
import { errorsPage } from './errors-docs.ts';
import { oxlintrcJson } from './oxlintrc.ts';
import { routingPage } from './routing-docs.ts';
import { settingNamesModule } from './shim-settings.ts';
import { timeoutsPage } from './timeouts-docs.ts';

interface GeneratedFile {
  /** From the root of the project. */
  readonly path: string;
  readonly content: string;
}

/**
 * Every committed file that is made from code. A test compares them; `npm run generate` writes
 * them.
 */
export async function generated(): Promise<GeneratedFile[]> {
  return [
    { path: '.oxlintrc.json', content: oxlintrcJson() },
    { path: 'docs/cli.md', content: await cliPage() },
    { path: 'docs/config.md', content: configMarkdown() },
    { path: 'docs/config.schema.json', content: configJsonSchema() },
    { path: '.env.example', content: envExample() },
    { path: 'docs/errors.md', content: errorsPage() },
    { path: 'docs/routing.md', content: routingPage() },
    { path: 'docs/timeouts.md', content: timeoutsPage() },
    { path: 'src/client/setting-names.ts', content: settingNamesModule() },
  ];
}
