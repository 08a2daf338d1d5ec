import { configJsonSchema, configMarkdown, envExample } from './config-docs.ts';
import { errorsPage } from './errors-docs.ts';
import { oxlintrc } from './oxlintrc.ts';

export interface GeneratedFile {
  /** From the root of the project. */
  readonly path: string;
  readonly content: string;
}

/** Every committed file that is made from code. A test compares them; `npm run generate` writes them. */
export function generated(): GeneratedFile[] {
  return [
    { path: '.oxlintrc.json', content: `${JSON.stringify(oxlintrc(), null, 2)}\n` },
    { path: 'docs/config.md', content: configMarkdown() },
    { path: 'docs/config.schema.json', content: configJsonSchema() },
    { path: '.env.example', content: envExample() },
    { path: 'docs/errors.md', content: errorsPage() },
  ];
}
