import { oxlintrc } from './oxlintrc.ts';

export interface GeneratedFile {
  /** From the root of the project. */
  readonly path: string;
  readonly content: string;
}

/** Every committed file that is made from code. A test compares them; `npm run generate` writes them. */
export function generated(): GeneratedFile[] {
  return [{ path: '.oxlintrc.json', content: `${JSON.stringify(oxlintrc(), null, 2)}\n` }];
}
